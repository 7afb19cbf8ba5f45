//! The figures that follow from the sums.

use std::collections::BTreeMap;

use super::{
    super::{Agreement, UndefinedReason, standardise::RaterScale},
    LiveSums,
    rater::{AffineTransform, RaterSums},
    tally::AlphaTally,
};

/// Figures on the current ratings, raw or as z-scores. Their level is
/// interval.
#[derive(Debug, Clone)]
pub struct LiveView<'a, R> {
    raters: &'a BTreeMap<R, u32>,
    sums: &'a LiveSums,
    /// Per rater by number; raters without a rating or a scale have none.
    pub(super) transforms: Vec<Option<AffineTransform>>,
}

/// The agreement of two raters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairAlpha<'a, R> {
    /// The rater whose key comes first.
    pub first: &'a R,
    /// The other one.
    pub second: &'a R,
    /// The number of units that both rated; above zero.
    pub units: usize,
    /// α of these two raters on these units, as if there were no others.
    pub alpha: Result<f64, UndefinedReason>,
}

/// The agreement without one rater.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeaveOneOutAgreement<'a, R> {
    /// The rater left out.
    pub rater: &'a R,
    /// The agreement of all others: if it is well above that of all raters, this rater lowers agreement.
    pub others: Agreement,
}

impl<'a, R: Ord> LiveView<'a, R> {
    pub(super) fn new(
        raters: &'a BTreeMap<R, u32>,
        sums: &'a LiveSums,
        mut line: impl FnMut(&R, &RaterSums) -> Option<AffineTransform>,
    ) -> Self {
        let mut lines = vec![None; sums.raters.len()];
        for (key, rater) in raters {
            if let Some(of_rater) = sums.rater(*rater) {
                lines[*rater as usize] = line(key, of_rater);
            }
        }
        Self {
            raters,
            sums,
            transforms: lines,
        }
    }

    /// The ratings as they are.
    pub(super) fn raw(raters: &'a BTreeMap<R, u32>, sums: &'a LiveSums) -> Self {
        Self::new(raters, sums, |_, of_rater| Some(of_rater.raw_transform()))
    }

    /// Their z-scores; raters without a scale are left out.
    pub(super) fn on_scales(
        raters: &'a BTreeMap<R, u32>,
        sums: &'a LiveSums,
        scale: impl Fn(&R) -> Option<RaterScale>,
    ) -> Self {
        Self::new(raters, sums, |rater, of_rater| {
            scale(rater).map(|scale| of_rater.z_transform(scale))
        })
    }

    /// The agreement of all raters; its cost grows with the number of pairs of raters who share a
    /// unit. (If a rater has no scale, with the number of sets of raters who share one.)
    #[must_use]
    pub fn agreement(&self) -> Agreement {
        let sums = &self.sums.raters;
        let left_out = |(rater, line): (&RaterSums, &Option<AffineTransform>)| {
            rater.all.n > 0 && line.is_none()
        };
        let tally = if sums.iter().zip(&self.transforms).any(left_out) {
            self.sums.rater_sets.total(&self.transforms)
        } else {
            self.tally()
        };
        tally.agreement(self.active_raters())
    }

    /// α of every two raters who share a unit, in the order of their keys.
    #[must_use]
    pub fn pairs(&self) -> Vec<PairAlpha<'a, R>> {
        let mut keys: Vec<(u32, &'a R)> = self.raters.iter().map(|(k, at)| (*at, k)).collect();
        keys.sort_unstable_by_key(|(at, _)| *at);
        let mut pairs = Vec::new();
        for ((a, b), pair) in self.sums.pairs.iter() {
            let (a, b) = (a as usize, b as usize);
            let (Some(of_a), Some(of_b)) = (self.transforms[a], self.transforms[b]) else {
                continue;
            };
            let mut tally = AlphaTally::from_units(pair.units, 2);
            let products;
            (tally.sum, tally.squares, products) = pair.moments(of_a, of_b);
            tally.magnitude = pair.units as f64 * (of_a.magnitude + of_b.magnitude);
            tally.within = tally.squares - 2.0 * products;
            let (first, second) = (keys[a].1.min(keys[b].1), keys[a].1.max(keys[b].1));
            pairs.push(PairAlpha {
                first,
                second,
                units: pair.units,
                alpha: tally.alpha(),
            });
        }
        pairs.sort_unstable_by_key(|pair| (pair.first, pair.second));
        pairs
    }

    /// The agreement without each rater who has a rating, in the order of their keys. Exact:
    /// without a rater, the others' ratings of a unit weigh more.
    #[must_use]
    pub fn leave_one_out(&self) -> Vec<LeaveOneOutAgreement<'a, R>> {
        let tallies = self.sums.rater_sets.leave_one_out(&self.transforms);
        let raters_with_ratings = self
            .raters
            .iter()
            .filter(|(_, at)| self.sums.rater(**at).is_some());
        raters_with_ratings
            .map(|(rater, at)| {
                let at = *at as usize;
                let raters = self.active_raters() - usize::from(self.transforms[at].is_some());
                LeaveOneOutAgreement {
                    rater,
                    others: tallies[at].agreement(raters),
                }
            })
            .collect()
    }

    fn active_raters(&self) -> usize {
        self.transforms.iter().flatten().count()
    }

    /// All raters' ratings: Σᵤ (nΣy² − (Σy)²)/(n−1) = Σy² − 2Σwyy′ over pairs in a unit.
    fn tally(&self) -> AlphaTally {
        let line = |rater: usize| self.transforms[rater].unwrap_or_default();
        let mut tally = AlphaTally {
            units: self.sums.units as i64,
            pairable_units: self.sums.pairable_units as i64,
            ..AlphaTally::default()
        };
        for (at, of_rater) in self.sums.raters.iter().enumerate() {
            let (line, sums) = (line(at), of_rater.pairable);
            let n = sums.n as f64;
            tally.ratings += of_rater.all.n as i64;
            tally.pairable_values += sums.n as i64;
            tally.sum += line.sum(n, sums.x);
            tally.magnitude += n * line.magnitude;
            tally.squares += line.product(line, n, sums.x, sums.x, sums.xx);
        }
        let pairs = self.sums.pairs.iter();
        let products: f64 = pairs
            .map(|((a, b), pair)| pair.weighted_product(line(a as usize), line(b as usize)))
            .sum();
        tally.within = tally.squares - 2.0 * products;
        tally
    }
}
