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
        for crew in self.on(lines) {
            total.add(&crew.tally(None));
        }
        total
    }

    /// The same without each rater in turn, by number.
    pub(super) fn without_each(&self, lines: &[Option<Line>]) -> Vec<Tally> {
        let mut total = Tally::default();
        let mut changes = vec![Tally::default(); lines.len()];
        for crew in self.on(lines) {
            let all = crew.tally(None);
            total.add(&all);
            for (at, rater) in crew.raters.iter().enumerate() {
                let change = &mut changes[*rater as usize];
                change.add(&crew.tally(Some(at)));
                change.subtract(&all);
            }
        }
        for change in &mut changes {
            change.add(&total);
        }
        changes
    }

    fn on<'a>(&'a self, lines: &'a [Option<Line>]) -> impl Iterator<Item = OnLines> + 'a {
        self.0
            .iter()
            .map(move |(raters, crew)| crew.on(raters, lines))
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

    /// The crew's sums on the lines of those of its raters that have one.
    fn on(&self, raters: &[u32], lines: &[Option<Line>]) -> OnLines {
        let n = self.units as f64;
        let with_line: Vec<_> = (0..raters.len())
            .filter_map(|i| Some((i, lines[raters[i] as usize]?)))
            .collect();
        let mut sums = OnLines {
            raters: with_line.iter().map(|(i, _)| raters[*i]).collect(),
            units: self.units,
            y: with_line
                .iter()
                .map(|(i, line)| line.sum(n, self.x[*i]))
                .collect(),
            yy: vec![0.0; with_line.len()],
            others: vec![0.0; with_line.len()],
            sizes: with_line.iter().map(|(_, line)| n * line.size).collect(),
        };
        for (a, (i, line)) in with_line.iter().enumerate() {
            // Row i starts after rows of k, k−1, … entries, and with the diagonal.
            let row = &self.xx[i * (2 * raters.len() + 1 - i) / 2..];
            sums.yy[a] = line.product(*line, n, self.x[*i], self.x[*i], row[0]);
            for (b, (j, other)) in with_line.iter().enumerate().skip(a + 1) {
                let product = line.product(*other, n, self.x[*i], self.x[*j], row[j - i]);
                sums.others[a] += product;
                sums.others[b] += product;
            }
        }
        sums
    }
}

/// A crew's sums of ratings that were put on lines.
struct OnLines {
    raters: Vec<u32>,
    units: usize,
    /// Per rater Σy, Σy² and the sum of Σyy′ over the other raters.
    y: Vec<f64>,
    yy: Vec<f64>,
    others: Vec<f64>,
    /// Per rater the size of the line, over all units.
    sizes: Vec<f64>,
}

impl OnLines {
    /// What the crew adds to the figures, without the rater at this position.
    fn tally(&self, without: Option<usize>) -> Tally {
        let left_out = |of: &[f64]| without.map_or(0.0, |at| of[at]);
        let raters = self.raters.len() - usize::from(without.is_some());
        let mut tally = Tally::of_units(self.units, raters);
        if raters > 1 {
            let products = self.others.iter().sum::<f64>() / 2.0 - left_out(&self.others);
            tally.sum = self.y.iter().sum::<f64>() - left_out(&self.y);
            tally.squares = self.yy.iter().sum::<f64>() - left_out(&self.yy);
            tally.size = self.sizes.iter().sum::<f64>() - left_out(&self.sizes);
            tally.within = tally.squares - 2.0 * products / (raters as f64 - 1.0);
        }
        tally
    }
}

fn raters(unit: &[(u32, f64)]) -> Box<[u32]> {
    unit.iter().map(|rating| rating.0).collect()
}
