//! The quality of a rater's answers: unusual patterns that a lead should look at.
//!
//! Each figure comes with its denominator. None is a verdict on a person: rounding is a habit, a quick
//! rater may be good, and a rater who disagrees with all others may be right. [`find_concerns`] reports
//! unusual figures by documented thresholds.

mod concern;
mod conflicts;
mod histogram;
mod pace;
mod proportion;
mod quality_control;
mod rater;
mod rater_agreement;
mod reading_time;
mod rounding;
mod straightlining;

pub use self::{
    concern::{RaterConcern, find_concerns},
    conflicts::count_conflicts,
    histogram::{Histogram, HistogramBin},
    pace::{FEWEST_TIMES, OUTLIER_CUTOFF, PaceFences, PaceSummary},
    proportion::{Proportion, SampleMean},
    quality_control::{CheckOutcome, QualityControlScores},
    rater::{RaterConduct, RaterQuality, RaterQualityReport, compute_rater_quality},
    rater_agreement::{AgreementWithOthers, agreement_with_others},
    reading_time::{LEAST_MS_AN_OUTPUT, ShownText, WORDS_A_SECOND, too_fast_to_read},
    rounding::{LONG_SCALE, MOST_SHORT_STEPS, RoundingShares, rounding},
    straightlining::{FLAT_OUTPUTS, FLAT_SPAN, Straightlining, straightlining},
};
