//! Sums over the units that were rated by exactly the same raters.
//!
//! Leaving a rater out changes the weight of the others' ratings in that rater's units alone. So
//! units are told apart by who rated them; in a study there are far fewer such crews than units.

use std::collections::BTreeMap;

use super::{rater::Line, tally::Tally};

/// The sums of each crew: its raters in ascending order.
#[derive(Debug, Clone, Default)]
pub(super) struct Crews(BTreeMap<Box<[u32]>, Crew>);

#[derive(Debug, Clone, Default)]
struct Crew {
    units: usize,
    /// Σx of each rater, around the rater's origin.
    x: Vec<f64>,
    /// Σxx′ of each two raters, (i, j) with i ≤ j row by row.
    xx: Vec<f64>,
}

impl Crews {
    pub(super) fn add(&mut self, unit: &[(u32, f64)]) {
        let crew = self.0.entry(raters(unit)).or_default();
        crew.x.resize(unit.len(), 0.0);
        crew.xx.resize(unit.len() * (unit.len() + 1) / 2, 0.0);
        crew.units += 1;
        crew.change(unit, 1.0);
    }

    pub(super) fn remove(&mut self, unit: &[(u32, f64)]) {
        let raters = raters(unit);
        let crew = self
            .0
            .get_mut(&raters)
            .expect("what is removed was added before");
        crew.units -= 1;
        crew.change(unit, -1.0);
        if crew.units == 0 {
            self.0.remove(&raters);
        }
    }

    /// What the ratings on these lines add up to; raters without a line are left out.
    pub(super) fn total(&self, lines: &[Option<Line>]) -> Tally {
        let mut total = Tally::default();
        self.each(lines, |units, shares| {
            total.add(&tally(units, shares.len(), sum(shares)))
        });
        total
    }

    /// The same without each rater in turn, by number.
    pub(super) fn without_each(&self, lines: &[Option<Line>]) -> Vec<Tally> {
        let mut total = Tally::default();
        let mut changes = vec![Tally::default(); lines.len()];
        self.each(lines, |units, shares| {
            let sum = sum(shares);
            let all = tally(units, shares.len(), sum);
            total.add(&all);
            for share in shares {
                let change = &mut changes[share.rater];
                change.add(&tally(units, shares.len() - 1, sum.without(share.sums)));
                change.subtract(&all);
            }
        });
        for change in &mut changes {
            change.add(&total);
        }
        changes
    }

    /// Visits each crew's number of units and the shares of its raters that have a line.
    fn each(&self, lines: &[Option<Line>], mut visit: impl FnMut(usize, &[Share])) {
        let mut shares = Vec::new();
        for (raters, crew) in &self.0 {
            crew.on(raters, lines, &mut shares);
            visit(crew.units, &shares);
        }
    }
}

impl Crew {
    fn change(&mut self, unit: &[(u32, f64)], sign: f64) {
        let mut at = 0;
        for (i, (_, x)) in unit.iter().enumerate() {
            self.x[i] += sign * x;
            for (_, y) in &unit[i..] {
                self.xx[at] += sign * x * y;
                at += 1;
            }
        }
    }

    /// The shares of those of its raters that have a line.
    fn on(&self, raters: &[u32], lines: &[Option<Line>], shares: &mut Vec<Share>) {
        let n = self.units as f64;
        shares.clear();
        for (at, rater) in raters.iter().enumerate() {
            let rater = *rater as usize;
            let Some(line) = lines[rater] else { continue };
            let sums = Sums {
                y: line.sum(n, self.x[at]),
                size: n * line.size,
                ..Sums::default()
            };
            shares.push(Share {
                at,
                rater,
                line,
                sums,
            });
        }
        for a in 0..shares.len() {
            let (before, rest) = shares.split_at_mut(a + 1);
            let Share {
                at: i, line, sums, ..
            } = &mut before[a];
            // Row i starts after rows of k, k−1, … entries, and with the diagonal.
            let row = &self.xx[*i * (2 * raters.len() + 1 - *i) / 2..];
            let x = self.x[*i];
            sums.yy = line.product(*line, n, x, x, row[0]);
            for other in rest {
                let product = line.product(other.line, n, x, self.x[other.at], row[other.at - *i]);
                sums.others += product;
                other.sums.others += product;
            }
        }
    }
}

/// One rater's part in a crew's sums, once ratings are put on lines.
struct Share {
    /// The position in the crew.
    at: usize,
    rater: usize,
    line: Line,
    sums: Sums,
}

/// Σy, Σy² and Σyy′ with the other raters, and the size of the lines, over all units.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    y: f64,
    yy: f64,
    others: f64,
    size: f64,
}

impl Sums {
    fn without(self, share: Self) -> Self {
        Self {
            y: self.y - share.y,
            yy: self.yy - share.yy,
            // Its products are in its own share and in those of the others.
            others: self.others - 2.0 * share.others,
            size: self.size - share.size,
        }
    }
}

fn sum(shares: &[Share]) -> Sums {
    shares
        .iter()
        .fold(Sums::default(), |sum, Share { sums, .. }| Sums {
            y: sum.y + sums.y,
            yy: sum.yy + sums.yy,
            others: sum.others + sums.others,
            size: sum.size + sums.size,
        })
}

/// What a crew of so many raters adds to the figures.
fn tally(units: usize, raters: usize, sums: Sums) -> Tally {
    let counts = Tally::of_units(units, raters);
    if raters < 2 {
        return counts;
    }
    let within = sums.yy - sums.others / (raters as f64 - 1.0);
    Tally {
        sum: sums.y,
        squares: sums.yy,
        size: sums.size,
        within,
        ..counts
    }
}

fn raters(unit: &[(u32, f64)]) -> Box<[u32]> {
    unit.iter().map(|rating| rating.0).collect()
}
