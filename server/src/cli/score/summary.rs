//! The summary of scores: means overall and by system.

use std::{collections::BTreeMap, iter};

use domain::metrics::ScoreDirection;
use serde::Serialize;
use service::{import::ReferenceSummary, wording::count_noun};
use utoipa::ToSchema;

use crate::{
    cli::output::{aligned, or_undefined},
    metrics::{BatchScores, ScoringBatch, corpus_score},
};

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
    /// `systems` names the system of each output of the batch, in order.
    pub(super) fn new(
        batch: &ScoringBatch,
        systems: &[&'a str],
        scores: &'a [BatchScores],
        warnings: &'a [String],
        references: Option<&'a ReferenceSummary>,
    ) -> Self {
        let metric_summary = |metric: &'a BatchScores| {
            let mut by_system = BTreeMap::new();
            for system in systems {
                let figures = || score_figures(batch, metric, |at| systems[at] == *system);
                by_system.entry(*system).or_insert_with(figures);
            }
            let summary = MetricSummary {
                signature: metric.signature.as_deref(),
                direction: metric.direction,
                overall: score_figures(batch, metric, |_| true),
                systems: by_system,
            };
            (&metric.name[..], summary)
        };
        Self {
            outputs: systems.len(),
            sources: batch.sources(),
            metrics: scores.iter().map(metric_summary).collect(),
            references,
            warnings,
        }
    }
}

impl ScoreSummary<'_> {
    /// The summary for people: a row for each metric and system, after one of all outputs where there are several systems.
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

/// The figures of a metric on the outputs of which `is_wanted` holds.
fn score_figures(
    batch: &ScoringBatch,
    metric: &BatchScores,
    is_wanted: impl Fn(usize) -> bool,
) -> ScoreFigures {
    let values = metric.values.iter().enumerate();
    let values = values.filter(|(at, _)| is_wanted(*at));
    let values: Vec<f64> = values.filter_map(|(_, value)| *value).collect();
    if values.is_empty() {
        return ScoreFigures {
            outputs: 0,
            mean: None,
            corpus: None,
        };
    }
    let corpus = corpus_score(batch, &metric.name, &metric.values, is_wanted);
    ScoreFigures {
        outputs: values.len(),
        mean: Some(values.iter().sum::<f64>() / values.len() as f64),
        corpus,
    }
}
