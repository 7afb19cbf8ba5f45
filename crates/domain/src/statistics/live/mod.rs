//! Agreement that is updated rating by rating.
//!
//! [`LiveAgreement`] holds sums, from which α on raw ratings and on z-scores, the α of every pair of
//! raters and the α without each rater follow without going through the ratings again. Adding a
//! rating costs time quadratic in the number of raters of its output. Every figure equals what
//! [`super::agreement()`] gives for the same ratings, whatever was rated, changed and withdrawn
//! before; only where ratings hardly differ for their size do sums of squares lose digits.

mod block;
mod part;
mod rater;
mod rater_pairs;
mod rater_sets;
mod tally;
mod view;

use std::collections::BTreeMap;

pub use block::ResamplingBlock;
pub use part::LivePart;
pub use view::{LeaveOneOutAgreement, LiveView, PairAlpha};

use self::{rater::RaterSums, rater_pairs::SumsByRaterPair, rater_sets::SumsByRaterSet};
use super::{
    DeviationKind, RatingTable, RatingTableError, UndefinedReason, ratings::check_value,
    standardise::RaterScale,
};

/// The ratings of a study with the sums that interval α needs.
#[derive(Debug, Clone)]
pub struct LiveAgreement<R, U> {
    raters: BTreeMap<R, u32>,
    units: BTreeMap<U, Vec<(u32, f64)>>,
    sums: LiveSums,
}

/// The sums, with raters by number in the order of their first rating.
#[derive(Debug, Clone, Default)]
struct LiveSums {
    raters: Vec<RaterSums>,
    pairs: SumsByRaterPair,
    rater_sets: SumsByRaterSet,
    units: usize,
    pairable_units: usize,
}

impl<R, U> Default for LiveAgreement<R, U> {
    fn default() -> Self {
        Self {
            raters: BTreeMap::new(),
            units: BTreeMap::new(),
            sums: LiveSums::default(),
        }
    }
}

impl<R: Ord, U: Ord> LiveAgreement<R, U> {
    /// Adds or changes a rating, and returns the one that it replaces.
    ///
    /// # Errors
    /// [`RatingTableError::OutOfRange`], and nothing is changed.
    pub fn rate(&mut self, rater: R, unit: U, value: f64) -> Result<Option<f64>, RatingTableError> {
        let value = check_value(0, value)?;
        Ok(self.insert(None, unit, [(rater, value)]))
    }

    /// Removes a rating and returns its value; `None` if there is none.
    pub fn withdraw(&mut self, rater: &R, unit: &U) -> Option<f64> {
        self.remove(None, rater, unit)
    }

    /// Adds or changes ratings of a unit, in the sums of all units and in those of the part that has the unit. The
    /// value is the one that the last rating replaces.
    fn insert(
        &mut self,
        part: Option<&mut LiveSums>,
        unit: U,
        values: impl IntoIterator<Item = (R, f64)>,
    ) -> Option<f64> {
        let ratings = self.units.entry(unit).or_default();
        let mut sums = [Some(&mut self.sums), part];
        for sums in sums.iter_mut().flatten() {
            sums.remove(ratings);
        }
        let mut before = None;
        for (rater, value) in values {
            let next = self.raters.len() as u32;
            let rater = *self.raters.entry(rater).or_insert(next);
            before = match ratings.binary_search_by_key(&rater, |rating| rating.0) {
                Ok(at) => Some(std::mem::replace(&mut ratings[at].1, value)),
                Err(at) => {
                    // There are many units and few ratings of each, so that room to grow would be most of the memory.
                    ratings.reserve_exact(1);
                    ratings.insert(at, (rater, value));
                    None
                }
            };
        }
        for sums in sums.iter_mut().flatten() {
            sums.add(ratings);
        }
        before
    }

    /// Removes a rating from the same sums.
    fn remove(&mut self, part: Option<&mut LiveSums>, rater: &R, unit: &U) -> Option<f64> {
        let rater = self.raters.get(rater)?;
        let ratings = self.units.get_mut(unit)?;
        let at = ratings
            .binary_search_by_key(rater, |rating| rating.0)
            .ok()?;
        let mut sums = [Some(&mut self.sums), part];
        for sums in sums.iter_mut().flatten() {
            sums.remove(ratings);
        }
        let (_, value) = ratings.remove(at);
        for sums in sums.iter_mut().flatten() {
            sums.add(ratings);
        }
        if ratings.is_empty() {
            self.units.remove(unit);
        }
        Some(value)
    }

    /// The number of a rater's ratings.
    #[must_use]
    pub fn ratings_of(&self, rater: &R) -> usize {
        let number = self.raters.get(rater);
        number.map_or(0, |rater| self.sums.raters[*rater as usize].all.n)
    }

    /// The mean and standard deviation of all ratings of a rater.
    ///
    /// # Errors
    /// [`UndefinedReason::TooFew`] below two ratings, [`UndefinedReason::Constant`] where all are the same.
    pub fn scale(
        &self,
        rater: &R,
        deviation: DeviationKind,
    ) -> Result<RaterScale, UndefinedReason> {
        match self.raters.get(rater) {
            Some(rater) => self.sums.raters[*rater as usize].scale(deviation),
            None => Err(UndefinedReason::TooFew {
                found: 0,
                needed: 2,
            }),
        }
    }

    /// Figures on the ratings as they are.
    #[must_use]
    pub fn raw(&self) -> LiveView<'_, R> {
        LiveView::raw(&self.raters, &self.sums)
    }

    /// Figures on z-scores, standardised by each rater's ratings in this value. Raters without a scale
    /// are left out.
    #[must_use]
    pub fn standardised(&self, deviation: DeviationKind) -> LiveView<'_, R> {
        LiveView::new(&self.raters, &self.sums, |_, sums| {
            sums.scale(deviation)
                .ok()
                .map(|scale| sums.z_transform(scale))
        })
    }
}

impl<R: Ord + Clone, U: Ord + Clone> From<&RatingTable<R, U>> for LiveAgreement<R, U> {
    /// Adds a whole table, each unit once.
    fn from(table: &RatingTable<R, U>) -> Self {
        let mut live = Self::default();
        let raters = table.raters().iter().cloned();
        live.raters = raters
            .enumerate()
            .map(|(at, rater)| (rater, at as u32))
            .collect();
        for (key, unit) in table.by_unit() {
            let raters = unit.raters.iter().map(|rater| *rater as u32);
            let ratings: Vec<_> = raters.zip(unit.values.iter().copied()).collect();
            live.sums.add(&ratings);
            live.units.insert(key.clone(), ratings);
        }
        live.sums
            .raters
            .resize(live.raters.len(), RaterSums::default());
        live
    }
}

impl LiveSums {
    /// The sums of a rater who has a rating. A part's sums do not know raters who only rated other parts.
    fn rater(&self, number: u32) -> Option<&RaterSums> {
        let rater = self.raters.get(number as usize)?;
        (rater.all.n > 0).then_some(rater)
    }

    /// Adds the ratings of one unit, in the order of raters.
    fn add(&mut self, ratings: &[(u32, f64)]) {
        let Some(last) = ratings.last() else { return };
        let rater_count = self.raters.len().max(last.0 as usize + 1);
        self.raters.resize(rater_count, RaterSums::default());
        let pairable = ratings.len() > 1;
        for (rater, value) in ratings {
            self.raters[*rater as usize].add(*value, pairable);
        }
        let around: Vec<_> = self.around_origins(ratings);
        self.pairs.add(&around);
        self.rater_sets.add(&around);
        self.units += 1;
        self.pairable_units += usize::from(pairable);
    }

    /// Removes what [`LiveSums::add`] added.
    fn remove(&mut self, ratings: &[(u32, f64)]) {
        if ratings.is_empty() {
            return;
        }
        let around: Vec<_> = self.around_origins(ratings);
        self.pairs.remove(&around);
        self.rater_sets.remove(&around);
        let pairable = ratings.len() > 1;
        for (rater, value) in ratings {
            self.raters[*rater as usize].remove(*value, pairable);
        }
        self.units -= 1;
        self.pairable_units -= usize::from(pairable);
    }

    fn around_origins(&self, ratings: &[(u32, f64)]) -> Vec<(u32, f64)> {
        let origin = |rater: u32| self.raters[rater as usize].origin;
        ratings
            .iter()
            .map(|(rater, value)| (*rater, value - origin(*rater)))
            .collect()
    }
}
