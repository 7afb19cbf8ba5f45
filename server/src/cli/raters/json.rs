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
use utoipa::ToSchema;

use super::{RaterReport, RatersReport};
use crate::reports::{AlphaJson, value_and_reason};

/// The report for programs.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::cli) struct RatersJson<'a> {
    /// The dimension that was rated.
    dimension: &'a str,
    /// The range of its ratings.
    scale: RatingScale,
    /// Alpha of all raters.
    agreement: AlphaJson,
    /// Those with scores on the dimension, with most concerns first.
    raters: Vec<RaterJson<'a>>,
    /// Those without, who did other work in a study.
    without_scores: Vec<WorkerJson<'a>>,
    /// Sentences on what limits the figures.
    warnings: &'a [String],
}

#[derive(Debug, Serialize, ToSchema)]
struct RaterJson<'a> {
    /// The name, or number, of the rater.
    rater: &'a str,
    /// The name of the rater's group, where they are in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    #[serde(flatten)]
    scores: ScoresJson,
    /// Concerns about the ratings or the work.
    concerns: Vec<ConcernJson>,
    /// How the rater worked; only in a study.
    #[serde(skip_serializing_if = "Option::is_none")]
    work: Option<ConductJson>,
}

#[derive(Debug, Serialize, ToSchema)]
struct WorkerJson<'a> {
    /// The name of the rater.
    rater: &'a str,
    /// The name of their group.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    /// Concerns about the work.
    concerns: Vec<ConcernJson>,
    /// How the rater worked.
    work: ConductJson,
}

/// Figures from the rater's scores.
#[derive(Debug, Serialize, ToSchema)]
struct ScoresJson {
    /// The number of ratings.
    ratings: usize,
    /// In points of the scale.
    mean: f64,
    /// The population standard deviation, in points of the scale.
    sd: ValueJson,
    /// How often each range of scores was given.
    histogram: HistogramJson,
    /// The share of ratings that are multiples of 5.
    multiples_of_5: ShareJson,
    /// The share of ratings that are multiples of 10.
    multiples_of_10: ShareJson,
    /// The share of flat sources: three or more outputs whose scores span at most 5 % of the scale.
    flat_sources: ShareJson,
    /// The most equal scores in a row.
    longest_run: usize,
    /// Alpha of the others.
    without: AlphaJson,
    /// Alpha of the others minus alpha of all.
    gain_without: AlphaJson,
    /// The mean of alpha with each other rater alone.
    pairwise: SampleMeanJson,
}

/// Figures from the rater's work on the platform.
#[derive(Debug, Serialize, ToSchema)]
struct ConductJson {
    /// Submitted sources with recorded time.
    timed_sources: usize,
    /// The median of active time for each source, in milliseconds.
    median_active_ms: ValueJson,
    /// Sources that took much less than this rater usually takes.
    fast_sources: ShareJson,
    /// Sources that took less time than reading them takes.
    unread_sources: ShareJson,
    /// Sources that took much more than usual.
    slow_sources: ShareJson,
    /// Pairs of outputs of a category that the rater ordered against their scores, of those with different scores.
    order_against_scores: ShareJson,
    /// Outputs that the rater moved to another category than the automatic one, of those reviewed.
    categories_changed: ShareJson,
    /// Edits changed, removed or added, of the automatic and the added ones.
    edits_corrected: ShareJson,
    /// The mean rating of copies of the source.
    copies: SampleMeanJson,
    /// The share of copies of the source in which nothing was marked.
    copies_unmarked: ShareJson,
    /// The mean rating of outputs with scrambled words.
    scrambled: SampleMeanJson,
    /// The share of scrambled outputs that were rated below their original.
    scrambled_below_original: ShareJson,
    /// The share of comparisons that scrambled outputs lost against their original.
    scrambled_lost: ShareJson,
    /// The share of scrambled outputs in which something was marked.
    scrambled_marked: ShareJson,
    /// The mean distance between two ratings of the same output, in points of the scale.
    repeated_difference: SampleMeanJson,
    /// The share of comparisons with a repeated output in which the rater chose as in the first one.
    repeated_choices: ShareJson,
    /// The mean F1 of the characters marked in a repeated output and in the first one, from 0 to 1.
    repeated_marks: SampleMeanJson,
    /// The share of attention items whose answers were as expected.
    attention_passed: ShareJson,
}

#[derive(Debug, Serialize, ToSchema)]
struct HistogramJson {
    /// Ranges of equal width.
    bins: Vec<HistogramBinJson>,
    /// Ratings outside all of them.
    outside: usize,
}

#[derive(Debug, Serialize, ToSchema)]
struct HistogramBinJson {
    /// The lowest score of the range.
    low: f64,
    /// The highest.
    high: f64,
    /// The number of ratings in it.
    count: usize,
}

#[derive(Debug, Serialize, ToSchema)]
struct ConcernJson {
    /// Its name.
    name: &'static str,
    /// The same as a sentence with its figures.
    sentence: String,
}

#[derive(Debug, Serialize, ToSchema)]
struct ValueJson {
    /// The figure; null where it is undefined.
    value: Option<f64>,
    /// Why it is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct SampleMeanJson {
    /// The mean; null where it is undefined.
    mean: Option<f64>,
    /// Why it is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
    /// The number of values.
    n: usize,
}

/// A share with its counts; without them where there is nothing to count.
#[derive(Debug, Serialize, ToSchema)]
struct ShareJson {
    /// From 0 to 1; null where it is undefined.
    share: Option<f64>,
    /// Why it is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
    /// How many have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    /// Out of how many.
    #[serde(rename = "of", skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
}

impl<'a> From<&'a RatersReport> for RatersJson<'a> {
    fn from(report: &'a RatersReport) -> Self {
        Self {
            dimension: &report.dimension.name,
            scale: report.dimension.scale,
            agreement: report.agreement.alpha.into(),
            raters: report.raters.iter().filter_map(RaterJson::new).collect(),
            without_scores: report.raters.iter().filter_map(WorkerJson::new).collect(),
            warnings: &report.warnings,
        }
    }
}

impl<'a> RaterJson<'a> {
    fn new(report: &'a RaterReport) -> Option<Self> {
        Some(Self {
            rater: &report.label,
            group: report.group.as_deref(),
            scores: report.scores.as_ref()?.into(),
            concerns: report.concerns.iter().map(Into::into).collect(),
            work: report.conduct.as_ref().map(Into::into),
        })
    }
}

impl<'a> WorkerJson<'a> {
    fn new(report: &'a RaterReport) -> Option<Self> {
        let is_without = report.scores.is_none();
        is_without.then_some(Self {
            rater: &report.label,
            group: report.group.as_deref(),
            concerns: report.concerns.iter().map(Into::into).collect(),
            work: report.conduct.as_ref()?.into(),
        })
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
            copies_unmarked: conduct.checks.copies_unmarked.into(),
            scrambled: conduct.checks.scrambled.into(),
            scrambled_below_original: conduct.checks.scrambled_below.into(),
            scrambled_lost: conduct.checks.scrambled_lost.into(),
            scrambled_marked: conduct.checks.scrambled_marked.into(),
            repeated_difference: conduct.checks.repeated.into(),
            repeated_choices: conduct.checks.repeated_choices.into(),
            repeated_marks: conduct.checks.repeated_marks.into(),
            attention_passed: conduct.checks.attention.into(),
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
