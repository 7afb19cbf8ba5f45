//! The summary of scores: means overall and by system.

use std::{collections::BTreeMap, iter};

use domain::metrics::ScoreDirection;
use serde::Serialize;
use service::{import::ReferenceSummary, wording::count_noun};
use utoipa::ToSchema;

use super::totals::{MetricTotals, ScoreTotal, ScoreTotals};
use crate::cli::output::{aligned, or_undefined};

/// The summary for programs.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::cli) struct ScoreSummary<'a> {
    /// The number of outputs.
    outputs: usize,
    /// The number of sources.
    sources: usize,
    /// Each metric, by its name.
    metrics: BTreeMap<&'a str, MetricSummary<'a>>,
    /// How references were matched with sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    references: Option<&'a ReferenceSummary>,
    /// Sentences on what limits the scores.
    warnings: &'a [String],
}

#[derive(Debug, Serialize, ToSchema)]
struct MetricSummary<'a> {
    /// The metric's settings.
    signature: Option<&'a str>,
    /// Whether a higher score is better.
    direction: ScoreDirection,
    #[serde(flatten)]
    overall: ScoreFigures,
    /// The same for each system.
    systems: BTreeMap<&'a str, ScoreFigures>,
}

/// A metric on some outputs.
#[derive(Debug, Serialize, ToSchema)]
struct ScoreFigures {
    /// The outputs that have a score.
    outputs: usize,
    /// The mean over outputs, in the unit of the metric; null without a score.
    mean: Option<f64>,
    /// The score of all of them as one corpus, of metrics that are made of counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    corpus: Option<f64>,
}

impl<'a> ScoreSummary<'a> {
    /// Summarises outputs of this number of sources.
    pub(super) fn new(
        totals: &'a ScoreTotals,
        sources: usize,
        warnings: &'a [String],
        references: Option<&'a ReferenceSummary>,
    ) -> Self {
        let metrics = totals.metrics.iter();
        Self {
            outputs: totals.outputs,
            sources,
            metrics: metrics
                .map(|metric| (&metric.name[..], MetricSummary::new(metric)))
                .collect(),
            references,
            warnings,
        }
    }
}

impl<'a> MetricSummary<'a> {
    fn new(totals: &'a MetricTotals) -> Self {
        let systems = totals.systems.iter();
        Self {
            signature: totals.signature.as_deref(),
            direction: totals.direction,
            overall: ScoreFigures::new(&totals.overall),
            systems: systems
                .map(|(system, total)| (&system[..], ScoreFigures::new(total)))
                .collect(),
        }
    }
}

impl ScoreSummary<'_> {
    /// The summary as text: a row for each metric and system, after a row for all outputs if there are several systems.
    pub(super) fn lines(&self) -> String {
        let mut rows = vec![["metric", "system", "outputs", "mean", "corpus"].map(str::to_owned)];
        for (name, metric) in &self.metrics {
            let overall = ("all outputs", &metric.overall);
            let systems = metric
                .systems
                .iter()
                .map(|(system, figures)| (*system, figures));
            let shown = iter::once(overall)
                .filter(|_| metric.systems.len() > 1)
                .chain(systems);
            rows.extend(shown.map(|(system, figures)| figures.row(name, system)));
        }

        let outputs = count_noun(self.outputs, "output");
        let sources = count_noun(self.sources, "source");
        let table = aligned(&rows, |column| column < 2);
        format!("{outputs} of {sources} scored\n{table}")
    }
}

impl ScoreFigures {
    fn new(total: &ScoreTotal) -> Self {
        Self {
            outputs: total.outputs,
            mean: total.mean(),
            corpus: total.corpus(),
        }
    }

    fn row(&self, metric: &str, system: &str) -> [String; 5] {
        let decimals = |figure: f64| format!("{figure:.3}");
        [
            metric.to_owned(),
            system.to_owned(),
            self.outputs.to_string(),
            or_undefined(self.mean.map(decimals)),
            self.corpus.map(decimals).unwrap_or_default(),
        ]
    }
}
