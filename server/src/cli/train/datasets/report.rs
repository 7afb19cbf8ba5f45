//! The table of datasets that were left out.

use std::fmt::Write as _;

use learn::{
    metric::{FigureEstimate, HybridSettings, LeftOutFigures},
    tuning::TuningPlan,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::cli::output::{columns, warning_lines};

/// The report; an undefined figure is null.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::cli) struct LeaveOneOutReport {
    /// The number of folds of the sources.
    pub(super) folds: usize,
    /// The random seed of the folds.
    pub(super) fold_seed: u64,
    /// The random seed of the trainings.
    pub(super) seed: u64,
    /// The number of resamples of intervals.
    pub(super) bootstrap: usize,
    /// The settings of the metric.
    pub(super) settings: LeftOutSettings,
    /// Each dataset that was left out.
    pub(super) left_out: Vec<LeftOutDataset>,
    /// Sentences on what limits the figures.
    pub(super) warnings: Vec<String>,
}

/// The settings of the trainings.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(super) enum LeftOutSettings {
    /// Those of trees and ranker.
    Hybrid(HybridSettings),
    /// Those of an encoder that learns.
    Tuned(TuningPlan),
}

/// A dataset, and how metrics do on it that did not learn from it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct LeftOutDataset {
    /// Its name.
    pub(super) name: String,
    /// The number of its sources.
    pub(super) sources: usize,
    /// The number of its outputs.
    pub(super) outputs: usize,
    /// The learned metric, then the baselines.
    pub(super) metrics: Vec<MetricFigures>,
}

/// A metric's agreement with people.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MetricFigures {
    /// Its name.
    pub(super) metric: String,
    #[serde(flatten)]
    pub(super) figures: LeftOutFigures,
}

impl LeaveOneOutReport {
    /// The report as text.
    pub(super) fn format(&self) -> String {
        let mut text = String::new();
        for dataset in &self.left_out {
            let LeftOutDataset {
                name,
                sources,
                outputs,
                metrics,
            } = dataset;
            let _ = writeln!(text, "{name}: {outputs} outputs of {sources} sources");

            let rows: Vec<[String; 7]> = metrics
                .iter()
                .map(|metric| {
                    let figures = &metric.figures;
                    [
                        metric.metric.clone(),
                        show(&figures.tau),
                        show(&figures.hard),
                        show(&figures.with_human),
                        show(&figures.machines),
                        show(&figures.degenerate),
                        show(&figures.r),
                    ]
                })
                .collect();

            let headings = [
                "metric",
                "tau [95 %]",
                "hard",
                "with human",
                "machines",
                "degenerate",
                "r",
            ];
            text += &columns(headings, &rows);
            text.push('\n');
        }

        let _ = writeln!(
            text,
            "each dataset was left out in turn: {} parts of its sources, whose texts no training had; seeds {} (parts) \
             and {} (training); intervals over sources, {} resamples",
            self.folds, self.fold_seed, self.seed, self.bootstrap
        );
        text + &warning_lines(&self.warnings)
    }
}

/// A figure with its interval; a dash where it is undefined.
fn show(figure: &FigureEstimate) -> String {
    match (figure.value, figure.ci) {
        (Some(value), Some([low, high])) => format!("{value:.3} [{low:.2}, {high:.2}]"),
        (Some(value), None) => format!("{value:.3}"),
        (None, _) => "–".to_owned(),
    }
}
