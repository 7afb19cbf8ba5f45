//! The figures that follow from the sums.

use std::collections::BTreeMap;

use super::{
    super::{Agreement, Undefined},
    LiveSums,
    rater::{Line, RaterSums},
    tally::Tally,
};

/// Figures on the ratings as they are, or on z-scores, at the time of asking. Their level is
/// interval.
#[derive(Debug, Clone)]
pub struct LiveView<'a, R> {
    raters: &'a BTreeMap<R, u32>,
    sums: &'a LiveSums,
    /// Per rater by number; raters without a rating or a scale have none.
    pub(super) lines: Vec<Option<Line>>,
}

/// How far two raters agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairAlpha<'a, R> {
    /// The rater whose key comes first.
    pub first: &'a R,
    /// The other one.
    pub second: &'a R,
    /// The units that both rated; above zero.
    pub units: usize,
    /// α of these two raters on these units, as if there were no others.
    pub alpha: Result<f64, Undefined>,
}

/// How far the others agree without one rater.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeftOut<'a, R> {
    /// The rater left out.
    pub rater: &'a R,
    /// The agreement of all others: where it is well above that of all, the rater pulls it down.
    pub others: Agreement,
}

impl<'a, R: Ord> LiveView<'a, R> {
    pub(super) fn new(
        raters: &'a BTreeMap<R, u32>,
        sums: &'a LiveSums,
        mut line: impl FnMut(&R, &RaterSums) -> Option<Line>,
    ) -> Self {
        let mut lines = vec![None; sums.raters.len()];
        for (key, rater) in raters {
            let of_rater = &sums.raters[*rater as usize];
            if of_rater.all.n > 0 {
                lines[*rater as usize] = line(key, of_rater);
            }
        }
        Self {
            raters,
            sums,
            lines,
        }
    }

    /// The agreement of all raters; its cost grows with the number of pairs of raters who share a
    /// unit. (Where a rater has no scale, with the number of sets of raters who share one.)
    #[must_use]
    pub fn agreement(&self) -> Agreement {
        let sums = &self.sums.raters;
        let left_out =
            |(rater, line): (&RaterSums, &Option<Line>)| rater.all.n > 0 && line.is_none();
        let tally = if sums.iter().zip(&self.lines).any(left_out) {
            self.sums.crews.total(&self.lines)
        } else {
            self.tally()
        };
        tally.agreement(self.present())
    }

    /// α of every two raters who share a unit, in the order of their keys.
    #[must_use]
    pub fn pairs(&self) -> Vec<PairAlpha<'a, R>> {
        let mut keys: Vec<(u32, &'a R)> = self.raters.iter().map(|(k, at)| (*at, k)).collect();
        keys.sort_unstable_by_key(|(at, _)| *at);
        let mut found = Vec::new();
        for ((a, b), pair) in self.sums.pairs.iter() {
            let (a, b) = (a as usize, b as usize);
            let (Some(of_a), Some(of_b)) = (self.lines[a], self.lines[b]) else {
                continue;
            };
            let mut tally = Tally::of_units(pair.units, 2);
            let products;
            (tally.sum, tally.squares, products) = pair.moments(of_a, of_b);
            tally.size = pair.units as f64 * (of_a.size + of_b.size);
            tally.within = tally.squares - 2.0 * products;
            let (first, second) = (keys[a].1.min(keys[b].1), keys[a].1.max(keys[b].1));
            found.push(PairAlpha {
                first,
                second,
                units: pair.units,
                alpha: tally.alpha(),
            });
        }
        found.sort_unstable_by_key(|pair| (pair.first, pair.second));
        found
    }

    /// The agreement without each rater who has a rating, in the order of their keys. Exact: where
    /// a rater leaves, the others' ratings of that unit weigh more.
    #[must_use]
    pub fn leave_one_out(&self) -> Vec<LeftOut<'a, R>> {
        let tallies = self.sums.crews.without_each(&self.lines);
        let rated = self
            .raters
            .iter()
            .filter(|(_, at)| self.sums.raters[**at as usize].all.n > 0);
        rated
            .map(|(rater, at)| {
                let at = *at as usize;
                let raters = self.present() - usize::from(self.lines[at].is_some());
                LeftOut {
                    rater,
                    others: tallies[at].agreement(raters),
                }
            })
            .collect()
    }

    fn present(&self) -> usize {
        self.lines.iter().flatten().count()
    }

    /// All raters' ratings: Σᵤ (nΣy² − (Σy)²)/(n−1) = Σy² − 2Σwyy′ over pairs in a unit.
    fn tally(&self) -> Tally {
        let line = |rater: usize| self.lines[rater].unwrap_or_default();
        let mut tally = Tally {
            units: self.sums.units as i64,
            pairable_units: self.sums.pairable_units as i64,
            ..Tally::default()
        };
        for (at, of_rater) in self.sums.raters.iter().enumerate() {
            let (line, sums) = (line(at), of_rater.pairable);
            let n = sums.n as f64;
            tally.ratings += of_rater.all.n as i64;
            tally.pairable_values += sums.n as i64;
            tally.sum += line.sum(n, sums.x);
            tally.size += n * line.size;
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
