//! Sums over the units that were rated by exactly the same raters.
//!
//! Leaving a rater out changes the weight of the others' ratings in that rater's units alone. So
//! units are grouped by their set of raters; a study has far fewer such sets than units.

use std::collections::BTreeMap;

use super::{rater::AffineTransform, tally::AlphaTally};

/// The sums of each set of raters, keyed by its raters in ascending order.
#[derive(Debug, Clone, Default)]
pub(super) struct SumsByRaterSet(BTreeMap<Box<[u32]>, RaterSetSums>);

/// The same sums, which do not change any more. A study has thousands of these values, most with a single set, for
/// which a map would take eleven times the memory.
#[derive(Debug, Clone, Default)]
pub(super) struct RaterSets(Box<[(Box<[u32]>, RaterSetSums)]>);

#[derive(Debug, Clone)]
struct RaterSetSums {
    units: usize,
    /// Σx of each rater, around the rater's origin; then Σxx′ of every two raters, (i, j) with i ≤ j row by row.
    sums: Box<[f64]>,
}

impl SumsByRaterSet {
    pub(super) fn add(&mut self, unit: &[(u32, f64)]) {
        let new = || RaterSetSums::new(unit.len());
        let crew = self.0.entry(rater_set(unit)).or_insert_with(new);
        crew.units += 1;
        crew.change(unit, 1.0);
    }

    pub(super) fn remove(&mut self, unit: &[(u32, f64)]) {
        let raters = rater_set(unit);
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

    /// The tally of the ratings under these transforms; raters without a transform are left out.
    pub(super) fn total(&self, lines: &[Option<AffineTransform>]) -> AlphaTally {
        tally_sets(self.iter(), lines)
    }

    /// The same without each rater in turn, by number.
    pub(super) fn leave_one_out(&self, lines: &[Option<AffineTransform>]) -> Vec<AlphaTally> {
        let mut total = AlphaTally::default();
        let mut changes = vec![AlphaTally::default(); lines.len()];
        for_each_set(self.iter(), lines, |units, shares| {
            let sum = sum_contributions(shares);
            let all = tally_set(units, shares.len(), sum);
            total.add(&all);
            for share in shares {
                let change = &mut changes[share.rater];
                change.add(&tally_set(
                    units,
                    shares.len() - 1,
                    sum.subtract(share.sums),
                ));
                change.subtract(&all);
            }
        });
        for change in &mut changes {
            change.add(&total);
        }
        changes
    }

    fn iter(&self) -> impl Iterator<Item = (&[u32], &RaterSetSums)> {
        self.0.iter().map(|(raters, crew)| (&raters[..], crew))
    }
}

impl RaterSets {
    /// See [`SumsByRaterSet::total`].
    pub(super) fn total(&self, lines: &[Option<AffineTransform>]) -> AlphaTally {
        let sets = self.0.iter().map(|(raters, crew)| (&raters[..], crew));
        tally_sets(sets, lines)
    }
}

impl From<SumsByRaterSet> for RaterSets {
    fn from(sums: SumsByRaterSet) -> Self {
        Self(sums.0.into_iter().collect())
    }
}

fn tally_sets<'a>(
    sets: impl Iterator<Item = (&'a [u32], &'a RaterSetSums)>,
    lines: &[Option<AffineTransform>],
) -> AlphaTally {
    let mut total = AlphaTally::default();
    for_each_set(sets, lines, |units, shares| {
        total.add(&tally_set(units, shares.len(), sum_contributions(shares)))
    });
    total
}

/// Visits each set's number of units and the contributions of its raters that have a transform.
fn for_each_set<'a>(
    sets: impl Iterator<Item = (&'a [u32], &'a RaterSetSums)>,
    lines: &[Option<AffineTransform>],
    mut visit: impl FnMut(usize, &[RaterContribution]),
) {
    let mut shares = Vec::new();
    for (raters, crew) in sets {
        crew.collect_contributions(raters, lines, &mut shares);
        visit(crew.units, &shares);
    }
}

impl RaterSetSums {
    fn new(raters: usize) -> Self {
        let sums = vec![0.0; raters + raters * (raters + 1) / 2];
        Self {
            units: 0,
            sums: sums.into(),
        }
    }

    fn change(&mut self, unit: &[(u32, f64)], sign: f64) {
        let (xs, products) = self.sums.split_at_mut(unit.len());
        let mut products = products.iter_mut();
        for (i, (_, x)) in unit.iter().enumerate() {
            xs[i] += sign * x;
            for ((_, y), product) in unit[i..].iter().zip(&mut products) {
                *product += sign * x * y;
            }
        }
    }

    /// The contributions of those of its raters that have a transform.
    fn collect_contributions(
        &self,
        raters: &[u32],
        lines: &[Option<AffineTransform>],
        shares: &mut Vec<RaterContribution>,
    ) {
        let n = self.units as f64;
        let (xs, products) = self.sums.split_at(raters.len());
        shares.clear();
        for (at, rater) in raters.iter().enumerate() {
            let rater = *rater as usize;
            let Some(line) = lines[rater] else { continue };
            let sums = ContributionSums {
                y: line.sum(n, xs[at]),
                magnitude: n * line.magnitude,
                ..ContributionSums::default()
            };
            shares.push(RaterContribution {
                at,
                rater,
                transform: line,
                sums,
            });
        }
        for a in 0..shares.len() {
            let (before, rest) = shares.split_at_mut(a + 1);
            let RaterContribution {
                at: i,
                transform: line,
                sums,
                ..
            } = &mut before[a];
            // Row i starts after rows of k, k−1, … entries, and with the diagonal.
            let row = &products[*i * (2 * raters.len() + 1 - *i) / 2..];
            let x = xs[*i];
            sums.yy = line.product(*line, n, x, x, row[0]);
            for other in rest {
                let product = line.product(other.transform, n, x, xs[other.at], row[other.at - *i]);
                sums.others += product;
                other.sums.others += product;
            }
        }
    }
}

/// One rater's contribution to the sums of a set, after the transforms.
struct RaterContribution {
    /// The position in the set.
    at: usize,
    rater: usize,
    transform: AffineTransform,
    sums: ContributionSums,
}

/// Σy, Σy² and Σyy′ with the other raters, and the size of the transforms, over all units.
#[derive(Debug, Clone, Copy, Default)]
struct ContributionSums {
    y: f64,
    yy: f64,
    others: f64,
    magnitude: f64,
}

impl ContributionSums {
    fn subtract(self, share: Self) -> Self {
        Self {
            y: self.y - share.y,
            yy: self.yy - share.yy,
            // Its products are in its own contribution and in those of the others.
            others: self.others - 2.0 * share.others,
            magnitude: self.magnitude - share.magnitude,
        }
    }
}

fn sum_contributions(shares: &[RaterContribution]) -> ContributionSums {
    shares.iter().fold(
        ContributionSums::default(),
        |sum, RaterContribution { sums, .. }| ContributionSums {
            y: sum.y + sums.y,
            yy: sum.yy + sums.yy,
            others: sum.others + sums.others,
            magnitude: sum.magnitude + sums.magnitude,
        },
    )
}

/// The tally of a set of `raters` raters.
fn tally_set(units: usize, raters: usize, sums: ContributionSums) -> AlphaTally {
    let counts = AlphaTally::from_units(units, raters);
    if raters < 2 {
        return counts;
    }
    let within = sums.yy - sums.others / (raters as f64 - 1.0);
    AlphaTally {
        sum: sums.y,
        squares: sums.yy,
        magnitude: sums.magnitude,
        within,
        ..counts
    }
}

fn rater_set(unit: &[(u32, f64)]) -> Box<[u32]> {
    unit.iter().map(|rating| rating.0).collect()
}
