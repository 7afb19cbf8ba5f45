//! The evaluation of metrics as JSON.

use std::collections::BTreeMap;

use domain::{
    category::Category,
    metrics::{
        ScoreDirection,
        degenerate::{DegenerateKind, DegenerateReport},
        meta::{CorrelationEstimates, HeldOutRater, MetricComparison, MetricDifference},
    },
    statistics::{UndefinedReason, bootstrap::BootstrapInterval},
    study::Dimension,
};
use serde::Serialize;
use service::import::ReferenceSummary;
use utoipa::ToSchema;

use super::{
    published::PublishedEvaluation,
    rendering,
    report::{MetaEvalReport, MetricReport},
};
use crate::reports::UndefinedReasons;

/// The report for programs; what is undefined is null, and `undefined` beside it says why.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::cli) struct MetaEvalJson<'a> {
    /// The figures of each metric, by its name.
    metrics: BTreeMap<&'a str, MetricJson<'a>>,
    /// The number of rated outputs.
    outputs: usize,
    /// The number of their sources.
    sources: usize,
    /// The dimension that was rated.
    dimension: &'a Dimension,
    /// The difference of ratings up to which a pair counts as equal.
    tie_threshold: TieThresholdJson,
    /// All settings that the figures depend on.
    signature: String,
    /// Sentences on what limits the figures.
    warnings: &'a [String],
    /// How references were matched with sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    references: Option<&'a ReferenceSummary>,
    /// The publication whose evaluation this follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    like: Option<&'static str>,
    /// The metric that others are compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<&'a str>,
    /// How well single raters agree with the others, as a limit for metrics.
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_limit: Option<UpperLimitJson<'a>>,
}

/// The threshold as it was given, and in points of the scale.
#[derive(Debug, Serialize, ToSchema)]
struct TieThresholdJson {
    /// As it was given.
    given: String,
    /// In points of the scale.
    points: f64,
}

#[derive(Debug, Serialize, ToSchema)]
struct UpperLimitJson<'a> {
    /// The mean over the raters with one; null where there is none.
    tau: Option<f64>,
    /// The number of pairs of outputs behind it, over all raters.
    pairs: usize,
    /// The mean over the raters with one; null where there is none.
    pearson: Option<f64>,
    /// Each rater against the mean of the others.
    raters: Vec<HeldOutRaterJson<'a>>,
}

#[derive(Debug, Serialize, ToSchema)]
struct HeldOutRaterJson<'a> {
    /// The name of the rater.
    rater: &'a str,
    /// The number of outputs.
    outputs: usize,
    /// Kendall-tau-like over the pairs that both the rater and the others tell apart; null where it is undefined.
    tau: Option<f64>,
    /// The number of these pairs.
    pairs: usize,
    /// Pearson's r; null where it is undefined.
    pearson: Option<f64>,
    /// Why figures are null, by their keys.
    #[serde(skip_serializing_if = "UndefinedReasons::is_empty")]
    undefined: UndefinedReasons,
}

/// The two ends of an interval.
#[derive(Debug, Serialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = Vec<f64>)]
struct IntervalJson([f64; 2]);

#[derive(Debug, Serialize, ToSchema)]
struct MetricJson<'a> {
    /// Of `all` categories together, and of each.
    tau: BTreeMap<&'static str, Option<f64>>,
    /// Pairs of outputs of a source on which the metric and the raters agree.
    concordant: usize,
    /// Pairs on which they differ; ties of the metric are among them.
    discordant: usize,
    /// Pairs that count as equal for the raters.
    skipped: usize,
    /// The 95 % percentile interval of tau over sources.
    ci: Option<IntervalJson>,
    /// Pearson's r over outputs, -1 to 1.
    pearson: Option<f64>,
    /// Its percentile interval over sources.
    pearson_ci: Option<IntervalJson>,
    /// Its interval by Fisher's transformation.
    pearson_fisher_ci: Option<IntervalJson>,
    /// Kendall's tau-b over outputs.
    kendall_b: Option<f64>,
    /// Its two-sided p.
    kendall_b_p: Option<f64>,
    /// Spearman's rho over outputs.
    spearman: Option<f64>,
    /// Its percentile interval over sources.
    spearman_ci: Option<IntervalJson>,
    /// The same over means of systems.
    system: CorrelationsJson,
    /// Discordant pairs that are ties of the metric.
    metric_ties: usize,
    /// Rated outputs without a score.
    unscored: usize,
    /// The number of outputs with both.
    outputs: usize,
    /// Sources that the metric learned from, which are left out.
    sources_left_out: usize,
    /// Whether a higher score is better.
    direction: ScoreDirection,
    /// The metric's settings.
    signature: Option<&'a str>,
    /// The difference to the metric of `against`.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<ComparisonJson>,
    /// How often it ranks a good output above a degenerate one.
    #[serde(skip_serializing_if = "Option::is_none")]
    degenerate: Option<DegenerateJson>,
    /// Why figures are null, by their keys.
    #[serde(skip_serializing_if = "UndefinedReasons::is_empty")]
    undefined: UndefinedReasons,
}

#[derive(Debug, Serialize, ToSchema)]
struct CorrelationsJson {
    /// Pearson's r.
    pearson: Option<f64>,
    /// Its percentile interval over sources.
    pearson_ci: Option<IntervalJson>,
    /// Spearman's rho.
    spearman: Option<f64>,
    /// Its percentile interval over sources.
    spearman_ci: Option<IntervalJson>,
    /// Why figures are null, by their keys.
    #[serde(skip_serializing_if = "UndefinedReasons::is_empty")]
    undefined: UndefinedReasons,
}

#[derive(Debug, Serialize, ToSchema)]
struct ComparisonJson {
    /// The difference of tau.
    tau: DifferenceJson,
    /// The difference of Pearson's r.
    pearson: DifferenceJson,
}

#[derive(Debug, Serialize, ToSchema)]
struct DifferenceJson {
    /// This metric minus the other; null where it is undefined.
    value: Option<f64>,
    /// The percentile interval over sources.
    ci: Option<IntervalJson>,
    /// Two-sided, from the resamples.
    bootstrap_p: Option<f64>,
    /// Two-sided, from exchanging the scores of both metrics.
    permutation_p: Option<f64>,
    /// Why figures are null, by their keys.
    #[serde(skip_serializing_if = "UndefinedReasons::is_empty")]
    undefined: UndefinedReasons,
}

#[derive(Debug, Serialize, ToSchema)]
struct DegenerateJson {
    /// From 0 to 1.
    share: Option<f64>,
    /// The same for each kind of degenerate output.
    by: BTreeMap<DegenerateKind, DegenerateShareJson>,
}

#[derive(Debug, Serialize, ToSchema)]
struct DegenerateShareJson {
    /// From 0 to 1; null without a case.
    share: Option<f64>,
    /// The number of cases.
    cases: usize,
}

impl<'a> From<&'a MetaEvalReport> for MetaEvalJson<'a> {
    fn from(report: &'a MetaEvalReport) -> Self {
        let metrics = report.metrics.iter();
        Self {
            metrics: metrics
                .map(|metric| (&metric.scores.name[..], metric.into()))
                .collect(),
            outputs: report.outputs,
            sources: report.sources,
            dimension: &report.dimension,
            tie_threshold: TieThresholdJson {
                given: report.threshold.to_string(),
                points: report.threshold.points(report.dimension.scale),
            },
            signature: rendering::signature(report),
            warnings: &report.warnings,
            references: report.references.as_ref(),
            like: report.like.map(PublishedEvaluation::name),
            against: report.against.as_deref(),
            upper_limit: report.upper_limit.as_deref().map(Into::into),
        }
    }
}

impl<'a> From<&'a [HeldOutRater<String>]> for UpperLimitJson<'a> {
    fn from(raters: &'a [HeldOutRater<String>]) -> Self {
        let rater = |rater: &'a HeldOutRater<String>| {
            let mut undefined = UndefinedReasons::default();
            HeldOutRaterJson {
                rater: &rater.rater,
                outputs: rater.outputs,
                tau: undefined.value_of("tau", rater.tau.tau()),
                pairs: rater.tau.pairs(),
                pearson: undefined.value_of("pearson", rater.pearson),
                undefined,
            }
        };

        Self {
            tau: rendering::upper_limit(raters).map(|limit| limit.mean),
            pairs: raters.iter().map(|rater| rater.tau.pairs()).sum(),
            pearson: rendering::mean_pearson(raters),
            raters: raters.iter().map(rater).collect(),
        }
    }
}

impl<'a> From<&'a MetricReport> for MetricJson<'a> {
    fn from(metric: &'a MetricReport) -> Self {
        let evaluation = &metric.evaluation;
        let categories = [Category::Split, Category::Paraphrase, Category::Deletion];
        let by_category = categories.map(|category| {
            let counts = rendering::category_counts(evaluation, category);
            (category.sentence_type(), counts.tau())
        });
        let mut undefined = UndefinedReasons::default();
        let taus = by_category
            .into_iter()
            .chain([("all", evaluation.tau.tau())]);
        let taus = taus.map(|(name, tau)| (name, undefined.value_of(format!("tau.{name}"), tau)));
        let tau = taus.collect();
        let (pearson, spearman) = (evaluation.segment.pearson, evaluation.segment.spearman);
        let kendall = evaluation.kendall;

        Self {
            tau,
            concordant: evaluation.tau.concordant,
            discordant: evaluation.tau.discordant,
            skipped: evaluation.tau.skipped,
            ci: undefined.value_of("ci", interval_json(evaluation.tau_interval)),
            pearson: undefined.value_of("pearson", pearson.value),
            pearson_ci: undefined.value_of("pearson_ci", interval_json(pearson.interval)),
            pearson_fisher_ci: undefined.value_of(
                "pearson_fisher_ci",
                evaluation
                    .fisher
                    .map(|(low, high)| IntervalJson([low, high])),
            ),
            kendall_b: undefined.value_of("kendall_b", kendall.map(|kendall| kendall.coefficient)),
            kendall_b_p: undefined.value_of("kendall_b_p", kendall.map(|kendall| kendall.p)),
            spearman: undefined.value_of("spearman", spearman.value),
            spearman_ci: undefined.value_of("spearman_ci", interval_json(spearman.interval)),
            system: (&evaluation.system).into(),
            metric_ties: evaluation.tau.metric_ties,
            unscored: evaluation.unscored,
            outputs: evaluation.outputs,
            sources_left_out: metric.left_out,
            direction: metric.scores.direction,
            signature: metric.scores.signature.as_deref(),
            difference: metric.against.as_ref().map(Into::into),
            degenerate: metric.degenerate.as_ref().map(Into::into),
            undefined,
        }
    }
}

impl From<&CorrelationEstimates> for CorrelationsJson {
    fn from(estimates: &CorrelationEstimates) -> Self {
        let mut undefined = UndefinedReasons::default();
        let CorrelationEstimates { pearson, spearman } = estimates;
        Self {
            pearson: undefined.value_of("pearson", pearson.value),
            pearson_ci: undefined.value_of("pearson_ci", interval_json(pearson.interval)),
            spearman: undefined.value_of("spearman", spearman.value),
            spearman_ci: undefined.value_of("spearman_ci", interval_json(spearman.interval)),
            undefined,
        }
    }
}

impl From<&MetricComparison> for ComparisonJson {
    fn from(comparison: &MetricComparison) -> Self {
        Self {
            tau: (&comparison.tau).into(),
            pearson: (&comparison.pearson).into(),
        }
    }
}

impl From<&MetricDifference> for DifferenceJson {
    fn from(difference: &MetricDifference) -> Self {
        let mut undefined = UndefinedReasons::default();
        Self {
            value: undefined.value_of("value", difference.value),
            ci: undefined.value_of("ci", interval_json(difference.interval)),
            bootstrap_p: undefined.value_of("bootstrap_p", difference.bootstrap_p),
            permutation_p: undefined.value_of("permutation_p", difference.permutation_p),
            undefined,
        }
    }
}

impl From<&DegenerateReport> for DegenerateJson {
    fn from(report: &DegenerateReport) -> Self {
        let kinds = report.by.iter().map(|count| {
            let json = DegenerateShareJson {
                share: count.share().ok(),
                cases: count.cases,
            };
            (count.of, json)
        });

        Self {
            share: report.share().ok(),
            by: kinds.collect(),
        }
    }
}

fn interval_json(
    interval: Result<BootstrapInterval, UndefinedReason>,
) -> Result<IntervalJson, UndefinedReason> {
    interval.map(|interval| IntervalJson([interval.low, interval.high]))
}
