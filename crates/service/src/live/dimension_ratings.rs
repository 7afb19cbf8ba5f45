//! The ratings on one dimension of a study.

use domain::{
    ids::{OutputId, RaterId, SourceId},
    statistics::{
        DeviationKind, RatingTable, UndefinedReason,
        standardise::{RaterScale, StandardisedRatings, standardise},
    },
};
use store::rating_rows::RatingRow;

use super::{CacheKey, FigureKey, StudySnapshot};

/// The ratings on one dimension, as they were entered and as z-scores. Copies of a rating at identical outputs are left
/// out, because they are not separate units.
#[derive(Debug, PartialEq)]
pub struct DimensionRatings {
    /// The ratings as they were entered.
    pub raw: RatingTable<RaterId, OutputId>,
    /// The z-scores, on each rater's population standard deviation.
    pub standardised: StandardisedRatings<RaterId, OutputId>,
    /// The source of each unit of `raw`.
    sources: Vec<SourceId>,
}

/// The key of [`DimensionRatings`].
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DimensionRatingsKey {
    pub(super) dimension: String,
}

impl CacheKey for DimensionRatingsKey {
    type Value = DimensionRatings;
}

impl FigureKey for DimensionRatingsKey {
    fn compute(&self, snapshot: &StudySnapshot) -> DimensionRatings {
        let rows = snapshot.own_ratings(&self.dimension);
        DimensionRatings::new(&rows.collect::<Vec<_>>())
    }
}

impl DimensionRatings {
    pub(crate) fn new(rows: &[&RatingRow]) -> Self {
        let raw = RatingTable::new(rows.iter().map(|row| (row.rater, row.output, row.value)))
            .expect("the store keeps one finite rating a rater, output and dimension");

        // Rows come output by output.
        let mut by_output: Vec<_> = rows.iter().map(|row| (row.output, row.source)).collect();
        by_output.dedup();
        by_output.sort_unstable();
        by_output.dedup();

        Self {
            standardised: standardise(&raw, DeviationKind::Population),
            raw,
            sources: by_output.into_iter().map(|(_, source)| source).collect(),
        }
    }

    /// The source of a rated output.
    ///
    /// # Panics
    /// If the output has no rating on the dimension.
    #[must_use]
    pub fn source(&self, output: &OutputId) -> SourceId {
        let unit = self.raw.units().binary_search(output);
        self.sources[unit.expect("the output is rated")]
    }

    /// The mean and the population standard deviation of all ratings of a rater.
    ///
    /// # Errors
    /// [`UndefinedReason::TooFew`] below two ratings, [`UndefinedReason::Constant`] if all are the same.
    pub fn scale(&self, rater: &RaterId) -> Result<RaterScale, UndefinedReason> {
        match self.raw.raters().binary_search(rater) {
            Ok(index) => self.standardised.scales[index],
            Err(_) => Err(UndefinedReason::TooFew {
                found: 0,
                needed: 2,
            }),
        }
    }
}
