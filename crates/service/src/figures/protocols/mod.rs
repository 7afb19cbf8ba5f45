//! A comparison of protocols by the ratings of several studies or files on the sources that they share.
//!
//! A protocol is how a study collects ratings. [`ProtocolRatings`] are those of a study or a file;
//! [`compare_protocols`] computes the same figures for each from the same sources, as the pages *Agreement* and
//! *Systems* do for a whole study.

mod active_time;
mod comparison;
mod differences;
mod ratings;
mod system_orders;

use std::sync::Arc;

use domain::study::StudySettings;
use store::{Store, Study};

pub use self::{
    active_time::ProtocolTime,
    comparison::{
        DimensionAgreement, MeanDimensionAlpha, PairCounts, ProtocolComparison, ProtocolFigures,
        compare_protocols,
    },
    differences::{AlphaDifference, PairedMinutes, ProtocolDifference},
    ratings::{ArmTimes, ProtocolRatings, RatedDimension},
    system_orders::SystemOrderCorrelation,
};
use crate::{
    computation::{FigureError, compute},
    figures::RatingScope,
    live::LiveStudies,
};

/// The most studies that are compared at once: each is held in memory.
pub const MOST_STUDIES: usize = 8;

/// Describes the protocol of a study in words, by its settings: the steps and the rated dimensions.
#[must_use]
pub fn describe_protocol(settings: &StudySettings) -> String {
    let dimensions = settings.dimensions.iter();
    let dimensions = dimensions.map(|dimension| format!("{} {}", dimension.name, dimension.scale));
    let dimensions: Vec<_> = dimensions.collect();
    let layout = match settings.is_merged() {
        true => ", output by output",
        false => "",
    };

    let steps = settings.protocol.describe();
    format!("{steps}{layout}: {}", dimensions.join(", "))
}

/// Compares the protocols of studies. For each study the first of the dimensions `asked` that has ratings is
/// used, or else the first dimension with ratings.
///
/// # Errors
/// When the database fails, or computing panics.
pub async fn compare_studies(
    live: &LiveStudies,
    store: &Store,
    studies: &[Study],
    scope: RatingScope,
    asked: Arc<[String]>,
) -> Result<ProtocolComparison, FigureError> {
    let mut ratings = Vec::with_capacity(studies.len());
    for study in studies {
        ratings.push(ProtocolRatings::load(live, store, study, scope, asked.clone()).await?);
    }
    compute(move || compare_protocols(&ratings)).await
}

#[cfg(test)]
mod difference_tests;
#[cfg(test)]
mod tests;
