//! Raters as JSON.

use domain::{
    score::RatingScale,
    statistics::{
        UndefinedReason,
        quality::{
            Histogram, HistogramBin, Proportion, RaterConcern, RaterConduct, RaterQuality,
            SampleMean,
        },
    },
};
use serde::Serialize;

use super::{RaterReport, RatersReport};
use crate::reports::{AlphaJson, value_and_reason};

/// The report for programs.
#[derive(Debug, Serialize)]
pub(super) struct RatersJson<'a> {
    dimension: &'a str,
    scale: RatingScale,
    agreement: AlphaJson,
    raters: Vec<RaterJson<'a>>,
    warnings: &'a [String],
}

#[derive(Debug, Serialize)]
struct RaterJson<'a> {
    rater: &'a str,
    #[serde(flatten)]
    scores: ScoresJson,
    concerns: Vec<ConcernJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    work: Option<ConductJson>,
}

/// Figures from the rater's scores.
#[derive(Debug, Serialize)]
struct ScoresJson {
    ratings: usize,
    mean: f64,
    sd: ValueJson,
    histogram: HistogramJson,
    multiples_of_5: ShareJson,
    multiples_of_10: ShareJson,
    flat_sources: ShareJson,
    longest_run: usize,
    without: AlphaJson,
    gain_without: AlphaJson,
    pairwise: SampleMeanJson,
}

/// Figures from the rater's work on the platform.
#[derive(Debug, Serialize)]
struct ConductJson {
    timed_sources: usize,
    median_active_ms: ValueJson,
    fast_sources: ShareJson,
    unread_sources: ShareJson,
    slow_sources: ShareJson,
    order_against_scores: ShareJson,
    categories_changed: ShareJson,
    edits_corrected: ShareJson,
    copies: SampleMeanJson,
    scrambled: SampleMeanJson,
    scrambled_below_original: ShareJson,
    repeated_difference: SampleMeanJson,
}

#[derive(Debug, Serialize)]
struct HistogramJson {
    bins: Vec<HistogramBinJson>,
    outside: usize,
}

#[derive(Debug, Serialize)]
struct HistogramBinJson {
    low: f64,
    high: f64,
    count: usize,
}

#[derive(Debug, Serialize)]
struct ConcernJson {
    name: &'static str,
    sentence: String,
}

#[derive(Debug, Serialize)]
struct ValueJson {
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
}

#[derive(Debug, Serialize)]
struct SampleMeanJson {
    mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
    n: usize,
}

/// A share with its counts; without them where there is nothing to count.
#[derive(Debug, Serialize)]
struct ShareJson {
    share: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    #[serde(rename = "of", skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
}

impl<'a> From<&'a RatersReport> for RatersJson<'a> {
    fn from(report: &'a RatersReport) -> Self {
        Self {
            dimension: &report.dimension.name,
            scale: report.dimension.scale,
            agreement: report.agreement.alpha.into(),
            raters: report.raters.iter().map(Into::into).collect(),
            warnings: &report.warnings,
        }
    }
}

impl<'a> From<&'a RaterReport> for RaterJson<'a> {
    fn from(report: &'a RaterReport) -> Self {
        Self {
            rater: &report.label,
            scores: (&report.scores).into(),
            concerns: report.concerns.iter().map(Into::into).collect(),
            work: report.conduct.as_ref().map(Into::into),
        }
    }
}

impl From<&RaterQuality> for ScoresJson {
    fn from(quality: &RaterQuality) -> Self {
        Self {
            ratings: quality.ratings,
            mean: quality.mean,
            sd: quality.sd.into(),
            histogram: (&quality.histogram).into(),
            multiples_of_5: quality.rounding.map(|rounding| rounding.fives).into(),
            multiples_of_10: quality.rounding.map(|rounding| rounding.tens).into(),
            flat_sources: quality.straight.flat.into(),
            longest_run: quality.straight.longest_run,
            without: quality.others.without.into(),
            gain_without: quality.others.gain.into(),
            pairwise: quality.others.pairwise.into(),
        }
    }
}

impl From<&RaterConduct> for ConductJson {
    fn from(conduct: &RaterConduct) -> Self {
        Self {
            timed_sources: conduct.pace.sources,
            median_active_ms: conduct.pace.median_ms.into(),
            fast_sources: conduct.pace.fast.into(),
            unread_sources: conduct.unread.into(),
            slow_sources: conduct.pace.slow.into(),
            order_against_scores: conduct.conflicts.into(),
            categories_changed: conduct.categories.into(),
            edits_corrected: conduct.edits.into(),
            copies: conduct.checks.copies.into(),
            scrambled: conduct.checks.scrambled.into(),
            scrambled_below_original: conduct.checks.scrambled_below.into(),
            repeated_difference: conduct.checks.repeated.into(),
        }
    }
}

impl From<&Histogram> for HistogramJson {
    fn from(histogram: &Histogram) -> Self {
        let bin = |bin: &HistogramBin| HistogramBinJson {
            low: bin.low,
            high: bin.high,
            count: bin.count,
        };
        Self {
            bins: histogram.bins.iter().map(bin).collect(),
            outside: histogram.outside,
        }
    }
}

impl From<&RaterConcern> for ConcernJson {
    fn from(concern: &RaterConcern) -> Self {
        Self {
            name: concern.title(),
            sentence: concern.sentence(),
        }
    }
}

impl From<Result<f64, UndefinedReason>> for ValueJson {
    fn from(figure: Result<f64, UndefinedReason>) -> Self {
        let (value, undefined) = value_and_reason(figure);
        Self { value, undefined }
    }
}

impl From<SampleMean> for SampleMeanJson {
    fn from(figure: SampleMean) -> Self {
        let (mean, undefined) = value_and_reason(figure.value());
        Self {
            mean,
            undefined,
            n: figure.n,
        }
    }
}

impl From<Proportion> for ShareJson {
    fn from(figure: Proportion) -> Self {
        let (share, undefined) = value_and_reason(figure.rate());
        Self {
            share,
            undefined,
            count: Some(figure.count),
            total: Some(figure.total),
        }
    }
}

impl From<Result<Proportion, UndefinedReason>> for ShareJson {
    fn from(figure: Result<Proportion, UndefinedReason>) -> Self {
        match figure {
            Ok(proportion) => proportion.into(),
            Err(reason) => Self {
                share: None,
                undefined: Some(reason.to_string()),
                count: None,
                total: None,
            },
        }
    }
}
