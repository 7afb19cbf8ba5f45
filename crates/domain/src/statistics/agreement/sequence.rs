//! Agreement as ratings come in.

use super::{
    super::{
        IndexedRating, UndefinedReason,
        bootstrap::{BootstrapInterval, ResamplingOptions},
        ratings::group_by_unit,
        standardise::{DeviationKind, RaterScale},
    },
    AlphaBootstrap,
    sums::IntervalSums,
};

/// The ratings of a study in the order in which they were given, each of one rater and unit at most once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RatingSequence {
    /// The number of raters.
    pub raters: usize,
    /// The index of each unit's source.
    pub sources: Vec<usize>,
    /// The ratings.
    pub entries: Vec<IndexedRating>,
}

/// Interval agreement at one point in time: of the first ratings of a sequence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AgreementPoint {
    /// The number of ratings.
    pub ratings: usize,
    /// The number of units with two or more ratings, from which α is computed.
    pub pairable: usize,
    /// α of the ratings as they were entered.
    pub raw: Result<f64, UndefinedReason>,
    /// α of their z-scores, on the scales of these ratings (population standard deviation).
    pub z: Result<f64, UndefinedReason>,
    /// The bootstrap interval of `z` over sources.
    pub z_interval: Result<BootstrapInterval, UndefinedReason>,
}

impl RatingSequence {
    /// The agreement of the first `count` ratings, as [`super::agreement()`] and [`AlphaBootstrap`] give it, in one pass
    /// without a table.
    ///
    /// # Panics
    /// If there are fewer ratings, or an index is out of range.
    #[must_use]
    pub fn agreement_of_first(
        &self,
        count: usize,
        resampling: ResamplingOptions,
    ) -> AgreementPoint {
        let entries = &self.entries[..count];
        let scales = self.scales(entries);
        let places: Vec<usize> = (0..self.sources.len()).collect();
        let by_unit = group_by_unit(places.len(), &places, entries);

        let origin = entries.first().map_or(0.0, |entry| entry.value);
        let (mut raw, mut pairable) = (IntervalSums::default(), 0);
        // `None` for sources without a z-score, which are not drawn.
        let mut z_by_source: Vec<Option<IntervalSums>> = vec![];
        let (mut values, mut z) = (vec![], vec![]);
        for (unit, range) in by_unit.starts.windows(2).enumerate() {
            values.clear();
            z.clear();
            for number in &by_unit.numbers[range[0]..range[1]] {
                let entry = &entries[*number];
                values.push(entry.value);
                let scale = scales[entry.rater as usize];
                z.extend(scale.map(|scale| scale.z(entry.value)));
            }

            if values.len() > 1 {
                pairable += 1;
                raw = raw.plus(IntervalSums::from_unit(&values, origin));
            }
            if !z.is_empty() {
                let source = self.sources[unit];
                z_by_source.resize(z_by_source.len().max(source + 1), None);
                let sums = z_by_source[source].get_or_insert_default();
                if z.len() > 1 {
                    *sums = sums.plus(IntervalSums::from_unit(&z, 0.0));
                }
            }
        }

        let z_by_source: Vec<_> = z_by_source.into_iter().flatten().collect();
        let all = z_by_source.iter().copied();
        AgreementPoint {
            ratings: count,
            pairable,
            raw: raw.alpha(origin),
            z: all
                .fold(IntervalSums::default(), IntervalSums::plus)
                .alpha(0.0),
            z_interval: AlphaBootstrap::from_sums(z_by_source, 0.0).interval(resampling),
        }
    }

    /// The scale of each rater on these ratings.
    fn scales(&self, entries: &[IndexedRating]) -> Vec<Option<RaterScale>> {
        let mut by_rater = vec![Vec::new(); self.raters];
        for entry in entries {
            by_rater[entry.rater as usize].push(entry.value);
        }

        let scale = |values: &Vec<f64>| RaterScale::from_values(values, DeviationKind::Population);
        by_rater.iter().map(|values| scale(values).ok()).collect()
    }
}
