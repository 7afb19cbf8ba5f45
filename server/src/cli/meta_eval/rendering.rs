//! The evaluation of metrics as a table.

use super::report::MetaEvalReport;
use crate::cli::output::{columns, warning_lines};
use domain::{
    category::Category,
    metrics::{
        degenerate::DegenerateReport,
        meta::{HeldOutRater, IntervalEstimate, MetaEvaluation, UpperLimit},
    },
    statistics::{UndefinedReason, bootstrap::BootstrapInterval, mean, tau_like::TauLike},
    study::Dimension,
};
use service::{findings::metrics::limit_basis, wording::count_noun};

/// The signature of the evaluation: the settings that taus depend on.
pub(super) fn signature(report: &MetaEvalReport) -> String {
    let Dimension { name, scale, .. } = &report.dimension;
    report.threshold.signature(report.consensus, name, *scale)
}

/// The pairs of one category; zero counts if no output is in it.
pub(super) fn category_counts(
    evaluation: &MetaEvaluation<Category>,
    category: Category,
) -> TauLike {
    let mut categories = evaluation.by_category.iter();
    let counts = categories.find(|(other, _)| *other == category);
    counts.map_or_else(TauLike::default, |(_, counts)| *counts)
}

/// The Kendall-tau-like that raters reach against the others.
pub(super) fn upper_limit<T>(raters: &[HeldOutRater<T>]) -> Option<UpperLimit> {
    UpperLimit::from_raters(raters.iter().map(|rater| rater.tau))
}

/// The mean of Pearson's r over the raters who have one; `None` if no rater has.
pub(super) fn mean_pearson<T>(raters: &[HeldOutRater<T>]) -> Option<f64> {
    let values = raters.iter().filter_map(|rater| rater.pearson.ok());
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| mean(&values))
}

pub(super) fn table(report: &MetaEvalReport) -> String {
    let number = |value: Result<f64, UndefinedReason>| match value {
        Ok(value) => format!("{value:.3}"),
        Err(_) => "–".to_owned(),
    };
    let with = |estimate: &IntervalEstimate| match estimate.interval {
        Ok(BootstrapInterval { low, high, .. }) => {
            format!("{} [{low:.2}, {high:.2}]", number(estimate.value))
        }
        Err(_) => number(estimate.value),
    };

    let rows: Vec<[String; 10]> = report
        .metrics
        .iter()
        .map(|metric| {
            let figures = &metric.evaluation;
            let tau = IntervalEstimate {
                value: figures.tau.tau(),
                interval: figures.tau_interval,
            };
            let by = |category| number(category_counts(figures, category).tau());
            [
                metric.scores.direction.label(&metric.scores.name),
                with(&tau),
                by(Category::Split),
                by(Category::Paraphrase),
                by(Category::Deletion),
                format!("{} : {}", figures.tau.concordant, figures.tau.discordant),
                with(&figures.segment.pearson),
                number(figures.segment.spearman.value),
                number(figures.kendall.map(|kendall| kendall.coefficient)),
                number(figures.system.pearson.value),
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

    // A metric that is judged on fewer sources skips fewer pairs: report the most.
    let skipped = report
        .metrics
        .iter()
        .map(|metric| metric.evaluation.tau.skipped);
    if let Some(skipped) = skipped.max() {
        text += &format!(
            "{} of {}; {} without a preference; ratings on {} tie up to {}\n",
            count_noun(report.outputs, "output"),
            count_noun(report.sources, "source"),
            count_noun(skipped, "pair"),
            report.dimension.name,
            report.threshold.describe(report.dimension.scale)
        );
        text += &format!("{}\n", signature(report));
    }

    if let Some(evaluation) = report.like {
        text += &format!("{}\n", evaluation.describe());
    }
    text += &comparisons(report);

    if let Some(raters) = &report.upper_limit {
        let tau = upper_limit(raters).map_or("–".to_owned(), |limit| {
            format!("{:.3} ({})", limit.mean, limit_basis(&limit))
        });
        let r = mean_pearson(raters).map_or("–".to_owned(), |r| format!("{r:.3}"));
        text += &format!("a rater held against the others: tau {tau}, r {r}\n");
    }

    text + &warning_lines(&report.warnings)
}

/// Lines on metrics that were compared with another or tested on worthless texts.
fn comparisons(report: &MetaEvalReport) -> String {
    let mut text = String::new();
    for metric in &report.metrics {
        let name = &metric.scores.name;
        if let (Some(difference), Some(other)) = (&metric.against, &report.against) {
            let tau = &difference.tau;
            if let (Ok(value), Ok(bounds), Ok(p)) = (tau.value, tau.interval, tau.permutation_p) {
                let (low, high) = (bounds.low, bounds.high);
                text += &format!(
                    "{name} - {other}: tau {value:.3} [{low:.3}, {high:.3}], permutation p {p:.4}\n"
                );
            }
        }

        if let Some(Ok(share)) = metric.degenerate.as_ref().map(DegenerateReport::share) {
            text += &format!(
                "{name}: outranks worthless texts in {:.1} % of cases\n",
                100.0 * share
            );
        }
    }
    text
}
