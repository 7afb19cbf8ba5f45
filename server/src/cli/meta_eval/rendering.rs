//! What is found of each metric, as JSON and as a table.

use domain::{
    category::Category,
    metrics::{
        degenerate::DegenerateReport,
        meta::{
            CorrelationEstimates, HeldOutRater, IntervalEstimate, MetaEvaluation, MetricComparison,
            MetricDifference,
        },
    },
    statistics::{UndefinedReason, bootstrap::BootstrapInterval, tau_like::TauLike},
    study::Dimension,
};
use serde_json::{Map, Value, json};

use super::{MetaEvalReport, MetricReport};
use crate::cli::output::columns;

pub(super) fn json(report: &MetaEvalReport) -> Value {
    let mut metrics = Map::new();
    for found in &report.metrics {
        metrics.insert(found.scores.name.clone(), metric_json(found));
    }
    let mut value = json!({
        "metrics": metrics,
        "outputs": report.outputs,
        "sources": report.sources,
        "dimension": report.dimension,
        "tie_threshold": {
            "given": report.threshold.to_string(),
            "points": report.threshold.points(report.dimension.scale),
        },
        "signature": signature(report),
        "warnings": report.warnings,
    });
    if let Some(references) = &report.references {
        value["references"] = json!(references);
    }
    if let Some(against) = &report.against {
        value["against"] = json!(against);
    }
    if let Some(raters) = &report.upper_limit {
        let each = raters.iter().map(|of| {
            json!({
                "rater": of.rater,
                "outputs": of.outputs,
                "tau": of.tau.tau().ok(),
                "pearson": of.pearson.ok(),
            })
        });
        value["upper_limit"] = json!({
            "tau": mean(raters, |of| of.tau.tau()),
            "pearson": mean(raters, |of| of.pearson),
            "raters": each.collect::<Vec<_>>(),
        });
    }
    value
}

/// Everything that taus depend on beside ratings and scores.
fn signature(report: &MetaEvalReport) -> String {
    let Dimension { name, scale } = &report.dimension;
    report.threshold.signature(report.consensus, name, *scale)
}

fn metric_json(found: &MetricReport) -> Value {
    let of = &found.evaluation;
    let mut tau = Map::new();
    tau.insert("all".to_owned(), json!(of.tau.tau().ok()));
    for category in [Category::Split, Category::Paraphrase, Category::Deletion] {
        let counts = category_counts(of, category);
        tau.insert(
            category.sentence_type().to_owned(),
            json!(counts.tau().ok()),
        );
    }
    let mut value = json!({
        "tau": tau,
        "concordant": of.tau.concordant,
        "discordant": of.tau.discordant,
        "skipped": of.tau.skipped,
        "ci": interval_json(&of.tau_interval),
        "pearson": of.segment.pearson.value.ok(),
        "pearson_ci": interval_json(&of.segment.pearson.interval),
        "pearson_fisher_ci": of.fisher.ok().map(|(low, high)| [low, high]),
        "kendall_b": of.kendall.ok().map(|of| of.coefficient),
        "kendall_b_p": of.kendall.ok().map(|of| of.p),
        "spearman": of.segment.spearman.value.ok(),
        "spearman_ci": interval_json(&of.segment.spearman.interval),
        "system": system_json(&of.system),
        "metric_ties": of.tau.metric_ties,
        "unscored": of.unscored,
        "outputs": of.outputs,
        "sources_left_out": found.left_out,
        "direction": found.scores.direction,
        "signature": found.scores.signature,
    });
    if let Some(MetricComparison { tau, pearson }) = &found.against {
        value["difference"] =
            json!({ "tau": difference_json(tau), "pearson": difference_json(pearson) });
    }
    if let Some(outcome) = &found.degenerate {
        value["degenerate"] = degenerate_json(outcome);
    }
    value
}

fn category_counts(of: &MetaEvaluation<Category>, category: Category) -> TauLike {
    let mut each = of.by_category.iter();
    let found = each.find(|(other, _)| *other == category);
    found.map_or_else(TauLike::default, |(_, counts)| *counts)
}

fn system_json(of: &CorrelationEstimates) -> Value {
    json!({
        "pearson": of.pearson.value.ok(),
        "pearson_ci": interval_json(&of.pearson.interval),
        "spearman": of.spearman.value.ok(),
        "spearman_ci": interval_json(&of.spearman.interval),
    })
}

fn difference_json(of: &MetricDifference) -> Value {
    json!({
        "value": of.value.ok(),
        "ci": interval_json(&of.interval),
        "bootstrap_p": of.bootstrap_p.ok(),
        "permutation_p": of.permutation_p.ok(),
    })
}

fn degenerate_json(outcome: &DegenerateReport) -> Value {
    let mut by = Map::new();
    for of in &outcome.by {
        let name = json!(of.of).as_str().unwrap_or_default().to_owned();
        by.insert(name, json!({ "share": of.share().ok(), "cases": of.cases }));
    }
    json!({ "share": outcome.share().ok(), "by": by })
}

fn interval_json(interval: &Result<BootstrapInterval, UndefinedReason>) -> Value {
    json!(interval.as_ref().ok().map(|of| [of.low, of.high]))
}

fn mean<T>(
    of: &[HeldOutRater<T>],
    figure: fn(&HeldOutRater<T>) -> Result<f64, UndefinedReason>,
) -> Option<f64> {
    let values: Vec<f64> = of.iter().filter_map(|of| figure(of).ok()).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

pub(super) fn table(report: &MetaEvalReport) -> String {
    let number = |value: Result<f64, UndefinedReason>| match value {
        Ok(value) => format!("{value:.3}"),
        Err(_) => "–".to_owned(),
    };
    let with = |of: &IntervalEstimate| match of.interval {
        Ok(BootstrapInterval { low, high, .. }) => {
            format!("{} [{low:.2}, {high:.2}]", number(of.value))
        }
        Err(_) => number(of.value),
    };
    let rows: Vec<[String; 10]> = report
        .metrics
        .iter()
        .map(|found| {
            let of = &found.evaluation;
            let tau = IntervalEstimate {
                value: of.tau.tau(),
                interval: of.tau_interval,
            };
            let by = |category| number(category_counts(of, category).tau());
            [
                found.scores.direction.label(&found.scores.name),
                with(&tau),
                by(Category::Split),
                by(Category::Paraphrase),
                by(Category::Deletion),
                format!("{} : {}", of.tau.concordant, of.tau.discordant),
                with(&of.segment.pearson),
                number(of.segment.spearman.value),
                number(of.kendall.map(|of| of.coefficient)),
                number(of.system.pearson.value),
            ]
        })
        .collect();
    let headings = [
        "metric",
        "tau [95 %]",
        "split",
        "paraphrase",
        "deletion",
        "for : against",
        "r [95 %]",
        "rho",
        "tau-b",
        "r of systems",
    ];
    let mut text = columns(headings, &rows);
    // Of a metric that is judged by fewer sources there are fewer.
    let skipped = report.metrics.iter().map(|it| it.evaluation.tau.skipped);
    if let Some(skipped) = skipped.max() {
        text += &format!(
            "{} outputs of {} sources; {} pairs without a preference; ratings on {} tie up to {}\n",
            report.outputs,
            report.sources,
            skipped,
            report.dimension.name,
            report.threshold.describe(report.dimension.scale)
        );
        text += &format!("{}\n", signature(report));
    }
    text += &comparisons(report);
    if let Some(raters) = &report.upper_limit {
        let (tau, r) = (
            mean(raters, |of| of.tau.tau()),
            mean(raters, |of| of.pearson),
        );
        let shown =
            |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.3}"));
        text += &format!(
            "a rater held against the others: tau {}, r {}\n",
            shown(tau),
            shown(r)
        );
    }
    for warning in &report.warnings {
        text += &format!("! {warning}\n");
    }
    text
}

/// A line for each metric that was tested against another or put to worthless texts.
fn comparisons(report: &MetaEvalReport) -> String {
    let mut text = String::new();
    for found in &report.metrics {
        let name = &found.scores.name;
        if let (Some(difference), Some(other)) = (&found.against, &report.against) {
            let tau = &difference.tau;
            if let (Ok(value), Ok(of), Ok(p)) = (tau.value, tau.interval, tau.permutation_p) {
                let (low, high) = (of.low, of.high);
                text += &format!(
                    "{name} - {other}: tau {value:.3} [{low:.3}, {high:.3}], permutation p {p:.4}\n"
                );
            }
        }
        if let Some(Ok(share)) = found.degenerate.as_ref().map(DegenerateReport::share) {
            text += &format!(
                "{name}: outranks worthless texts in {:.1} % of cases\n",
                100.0 * share
            );
        }
    }
    text
}
