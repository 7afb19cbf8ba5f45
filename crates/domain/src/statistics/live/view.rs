//! The figures that follow from the sums.

use std::collections::BTreeMap;

use super::{
    super::{Agreement, Level, Undefined},
    LiveSums,
    rater::{Line, RaterSums, spread},
};

/// Figures on the ratings as they are, or on z-scores, at the time of asking. Their level is
/// interval.
#[derive(Debug, Clone)]
pub struct LiveView<'a, R> {
    raters: &'a BTreeMap<R, u32>,
    sums: &'a LiveSums,
    /// Per rater by number; raters without a rating or a scale have none.
    lines: Vec<Option<Line>>,
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
    /// The rater left out. Their α is well above that of all if they pull agreement down.
    pub rater: &'a R,
    /// The agreement of all others.
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
        let line = |rater: usize| {
            self.lines[rater].unwrap_or(Line {
                slope: 0.0,
                start: 0.0,
            })
        };
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

/// What α and its counts follow from; differences of tallies may be below zero.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Tally {
    units: i64,
    ratings: i64,
    pairable_units: i64,
    pairable_values: i64,
    /// Σy and Σy² of pairable values.
    pub(super) sum: f64,
    pub(super) squares: f64,
    /// Σᵤ (nΣy² − (Σy)²)/(n−1) within units.
    pub(super) within: f64,
}

impl Tally {
    /// The counts of units with so many ratings each.
    pub(super) fn of_units(units: usize, raters: usize) -> Self {
        let (units, ratings) = (units as i64, (units * raters) as i64);
        match raters {
            0 => Self::default(),
            1 => Self {
                units,
                ratings,
                ..Self::default()
            },
            _ => Self {
                units,
                ratings,
                pairable_units: units,
                pairable_values: ratings,
                ..Self::default()
            },
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.plus(other, 1);
    }

    pub(super) fn subtract(&mut self, other: &Self) {
        self.plus(other, -1);
    }

    fn plus(&mut self, other: &Self, sign: i64) {
        self.units += sign * other.units;
        self.ratings += sign * other.ratings;
        self.pairable_units += sign * other.pairable_units;
        self.pairable_values += sign * other.pairable_values;
        self.sum += sign as f64 * other.sum;
        self.squares += sign as f64 * other.squares;
        self.within += sign as f64 * other.within;
    }

    fn alpha(&self) -> Result<f64, Undefined> {
        if self.pairable_values == 0 {
            return Err(Undefined::NoPairableUnit);
        }
        let n = self.pairable_values as f64;
        let between = spread(n, self.sum, self.squares).ok_or(Undefined::Constant)?;
        Ok(1.0 - (n - 1.0) * self.within / between)
    }

    fn agreement(&self, raters: usize) -> Agreement {
        Agreement {
            alpha: self.alpha(),
            level: Level::Interval,
            raters,
            units: self.units as usize,
            ratings: self.ratings as usize,
            pairable_units: self.pairable_units as usize,
            pairable_values: self.pairable_values as usize,
        }
    }
}
