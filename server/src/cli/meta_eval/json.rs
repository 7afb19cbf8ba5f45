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

use super::{
    published::PublishedEvaluation,
    rendering,
    report::{MetaEvalReport, MetricReport},
};

/// The report for programs; what is undefined is null.
#[derive(Debug, Serialize)]
pub(super) struct MetaEvalJson<'a> {
    metrics: BTreeMap<&'a str, MetricJson<'a>>,
    outputs: usize,
    sources: usize,
    dimension: &'a Dimension,
    tie_threshold: TieThresholdJson,
    signature: String,
    warnings: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    references: Option<&'a ReferenceSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    like: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_limit: Option<UpperLimitJson<'a>>,
}

/// The threshold as it was given, and in points of the scale.
#[derive(Debug, Serialize)]
struct TieThresholdJson {
    given: String,
    points: f64,
}

#[derive(Debug, Serialize)]
struct UpperLimitJson<'a> {
    tau: Option<f64>,
    pearson: Option<f64>,
    raters: Vec<HeldOutRaterJson<'a>>,
}

#[derive(Debug, Serialize)]
struct HeldOutRaterJson<'a> {
    rater: &'a str,
    outputs: usize,
    tau: Option<f64>,
    pearson: Option<f64>,
}

/// The two ends of an interval.
type IntervalJson = Option<[f64; 2]>;

#[derive(Debug, Serialize)]
struct MetricJson<'a> {
    /// Of `all` categories together, and of each.
    tau: BTreeMap<&'static str, Option<f64>>,
    concordant: usize,
    discordant: usize,
    skipped: usize,
    ci: IntervalJson,
    pearson: Option<f64>,
    pearson_ci: IntervalJson,
    pearson_fisher_ci: IntervalJson,
    kendall_b: Option<f64>,
    kendall_b_p: Option<f64>,
    spearman: Option<f64>,
    spearman_ci: IntervalJson,
    system: CorrelationsJson,
    metric_ties: usize,
    unscored: usize,
    outputs: usize,
    sources_left_out: usize,
    direction: ScoreDirection,
    signature: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<ComparisonJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    degenerate: Option<DegenerateJson>,
}

#[derive(Debug, Serialize)]
struct CorrelationsJson {
    pearson: Option<f64>,
    pearson_ci: IntervalJson,
    spearman: Option<f64>,
    spearman_ci: IntervalJson,
}

#[derive(Debug, Serialize)]
struct ComparisonJson {
    tau: DifferenceJson,
    pearson: DifferenceJson,
}

#[derive(Debug, Serialize)]
struct DifferenceJson {
    value: Option<f64>,
    ci: IntervalJson,
    bootstrap_p: Option<f64>,
    permutation_p: Option<f64>,
}

#[derive(Debug, Serialize)]
struct DegenerateJson {
    share: Option<f64>,
    by: BTreeMap<DegenerateKind, DegenerateShareJson>,
}

#[derive(Debug, Serialize)]
struct DegenerateShareJson {
    share: Option<f64>,
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
        let rater = |rater: &'a HeldOutRater<String>| HeldOutRaterJson {
            rater: &rater.rater,
            outputs: rater.outputs,
            tau: rater.tau.tau().ok(),
            pearson: rater.pearson.ok(),
        };
        Self {
            tau: rendering::mean(raters, |rater| rater.tau.tau()),
            pearson: rendering::mean(raters, |rater| rater.pearson),
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
            (category.sentence_type(), counts.tau().ok())
        });
        let all = ("all", evaluation.tau.tau().ok());
        let kendall = evaluation.kendall.ok();
        Self {
            tau: by_category.into_iter().chain([all]).collect(),
            concordant: evaluation.tau.concordant,
            discordant: evaluation.tau.discordant,
            skipped: evaluation.tau.skipped,
            ci: interval_json(&evaluation.tau_interval),
            pearson: evaluation.segment.pearson.value.ok(),
            pearson_ci: interval_json(&evaluation.segment.pearson.interval),
            pearson_fisher_ci: evaluation.fisher.ok().map(|(low, high)| [low, high]),
            kendall_b: kendall.map(|kendall| kendall.coefficient),
            kendall_b_p: kendall.map(|kendall| kendall.p),
            spearman: evaluation.segment.spearman.value.ok(),
            spearman_ci: interval_json(&evaluation.segment.spearman.interval),
            system: (&evaluation.system).into(),
            metric_ties: evaluation.tau.metric_ties,
            unscored: evaluation.unscored,
            outputs: evaluation.outputs,
            sources_left_out: metric.left_out,
            direction: metric.scores.direction,
            signature: metric.scores.signature.as_deref(),
            difference: metric.against.as_ref().map(Into::into),
            degenerate: metric.degenerate.as_ref().map(Into::into),
        }
    }
}

impl From<&CorrelationEstimates> for CorrelationsJson {
    fn from(estimates: &CorrelationEstimates) -> Self {
        Self {
            pearson: estimates.pearson.value.ok(),
            pearson_ci: interval_json(&estimates.pearson.interval),
            spearman: estimates.spearman.value.ok(),
            spearman_ci: interval_json(&estimates.spearman.interval),
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
        Self {
            value: difference.value.ok(),
            ci: interval_json(&difference.interval),
            bootstrap_p: difference.bootstrap_p.ok(),
            permutation_p: difference.permutation_p.ok(),
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

fn interval_json(interval: &Result<BootstrapInterval, UndefinedReason>) -> IntervalJson {
    let interval = interval.as_ref().ok()?;
    Some([interval.low, interval.high])
}
