//! A training as JSON.

use std::{fmt::Write as _, path::Path};

use domain::metrics::{LearnedMetricKind, MetricTrainer, learned_quality::LearnedMetricQuality};
use learn::{
    training::{HeldOutFigures, mean_quality},
    tuning::{TuningAgreement, TuningPlan},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::pretraining_overlap::PretrainingOverlap;

/// The report for programs; an undefined figure is null.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::cli) struct TrainingJson<'a> {
    /// The metric that was trained.
    pub(super) metric: LearnedMetricKind,
    /// The number of rated sources.
    pub(super) sources: usize,
    /// The number of rated outputs.
    pub(super) outputs: usize,
    /// The number of folds of the sources.
    pub(super) folds: u16,
    /// The number of repeats with other folds.
    pub(super) repeats: u16,
    /// The random seed of the folds.
    pub(super) fold_seed: u64,
    #[serde(flatten)]
    pub(super) settings: SettingsJson,
    /// How it agrees with people on folds that it did not learn from.
    pub(super) cross_validated: CrossValidationJson,
    /// Only where the metric was cross-validated.
    #[serde(flatten)]
    pub(super) mean: Option<MeanFiguresJson>,
    /// Only where a metric was trained and written.
    #[serde(flatten)]
    pub(super) model: Option<ModelJson<'a>>,
    /// Only where the encoder was pre-trained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pretraining_overlap: Option<PretrainingOverlap>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(super) enum SettingsJson {
    Hybrid {
        /// The random seed of the trees.
        seed: u64,
    },
    Tuned {
        /// The settings of the training.
        plan: TuningPlan,
    },
}

/// Of trees the means over the repeats, of an encoder a list of each repeat's figures.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(super) enum CrossValidationJson {
    Hybrid(Option<LearnedMetricQuality>),
    Tuned(Vec<TuningAgreement>),
}

/// The means over the repeats. Only trees are cross-validated on degenerate outputs.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MeanFiguresJson {
    /// Pearson's r over outputs.
    r: Option<f64>,
    /// Concordant minus discordant pairs, as a share of both.
    tau: Option<f64>,
    /// The same over pairs of good outputs.
    hard: Option<f64>,
    /// The share of cases in which a good output outranks a degenerate one.
    #[serde(skip_serializing_if = "Option::is_none")]
    degenerate: Option<Option<f64>>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ModelJson<'a> {
    /// The file of the metric.
    #[schema(value_type = String)]
    pub(super) model: &'a Path,
    /// All settings that its scores depend on.
    pub(super) signature: String,
    /// How it agrees with people on sources held out.
    pub(super) held_out: HeldOutFigures,
}

impl TrainingJson<'_> {
    /// The report as text.
    pub(super) fn format(&self) -> String {
        let mut text = String::new();
        if let Some(mean) = &self.mean {
            let figures = [
                ("r", Some(mean.r)),
                ("tau", Some(mean.tau)),
                ("hard", Some(mean.hard)),
                ("degenerate", mean.degenerate),
            ];
            for (name, value) in figures {
                let Some(value) = value else { continue };
                let value = value.map_or("undefined".to_owned(), |value| format!("{value:.4}"));
                let _ = writeln!(text, "{name:<12}{value}");
            }
        }

        if let Some(model) = &self.model {
            let _ = writeln!(
                text,
                "{} was trained on {} outputs",
                model.model.display(),
                self.outputs
            );
        }

        let warnings = self.pretraining_overlap.iter();
        for warning in warnings.flat_map(|overlap| overlap.warnings(self.mean.is_some())) {
            let _ = writeln!(text, "! {warning}");
        }
        text
    }
}

impl CrossValidationJson {
    pub(super) fn new(kind: LearnedMetricKind, evaluations: &[LearnedMetricQuality]) -> Self {
        match kind.trainer() {
            MetricTrainer::Hybrid => Self::Hybrid(mean_quality(evaluations)),
            MetricTrainer::Lens | MetricTrainer::CrossEncoder => {
                Self::Tuned(evaluations.iter().copied().map(Into::into).collect())
            }
        }
    }
}

impl MeanFiguresJson {
    pub(super) fn new(kind: LearnedMetricKind, mean: LearnedMetricQuality) -> Self {
        Self {
            r: mean.r,
            tau: mean.tau,
            hard: mean.hard,
            degenerate: (!kind.trainer().tunes_encoder()).then_some(mean.degenerate),
        }
    }
}
