//! Figures on a part of the units, such as the outputs of one category.

use super::{
    super::{RatingTableError, ratings::check_value, standardise::RaterScale},
    LiveAgreement, LiveSums, LiveView,
};

/// The sums over those units of a [`LiveAgreement`] that belong to one part, which is whichever the methods below are
/// given it for. The ratings are in the [`LiveAgreement`] only: a study has many of them, and each of its units is in
/// one part.
#[derive(Debug, Clone, Default)]
pub struct LivePart(pub(super) LiveSums);

impl<R: Ord, U: Ord> LiveAgreement<R, U> {
    /// Adds or changes ratings of a unit of this part, whose other ratings were added to the same part. Several at once
    /// take little longer than one.
    ///
    /// # Errors
    /// [`RatingTableError::OutOfRange`], and nothing is changed.
    pub fn rate_in(
        &mut self,
        part: &mut LivePart,
        unit: U,
        ratings: &[(R, f64)],
    ) -> Result<(), RatingTableError>
    where
        R: Clone,
    {
        let mut values = Vec::with_capacity(ratings.len());
        for (number, (rater, value)) in ratings.iter().enumerate() {
            values.push((rater.clone(), check_value(number, *value)?));
        }
        self.insert(Some(&mut part.0), unit, values);
        Ok(())
    }

    /// As [`LiveAgreement::withdraw`], of a unit of this part.
    pub fn withdraw_in(&mut self, part: &mut LivePart, rater: &R, unit: &U) -> Option<f64> {
        self.remove(Some(&mut part.0), rater, unit)
    }

    /// Figures on the ratings of a part as they are.
    #[must_use]
    pub fn raw_in<'a>(&'a self, part: &'a LivePart) -> LiveView<'a, R> {
        LiveView::raw(&self.raters, &part.0)
    }

    /// Figures on the z-scores of a part by given scales, which mostly are those of all units. Raters without a scale
    /// are left out.
    #[must_use]
    pub fn on_scales_in<'a>(
        &'a self,
        part: &'a LivePart,
        scale: impl Fn(&R) -> Option<RaterScale>,
    ) -> LiveView<'a, R> {
        LiveView::on_scales(&self.raters, &part.0, scale)
    }
}
