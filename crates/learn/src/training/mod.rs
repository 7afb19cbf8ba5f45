//! One interface to train, judge, open and score with every kind of learned metric.
//!
//! A [`Trainer`] turns rated outputs into a [`TrainedModel`]. A [`ModelFile`] is a model read back, of the
//! kind that the file's header names, and a [`LearnedScorer`] scores with it.
//!
//! A new trainer is an implementation of [`Trainer`] in its own file, with its settings in [`TrainingPlan`] and a
//! variant of [`TrainedModel`], [`ModelFile`] and [`LearnedScorer`].

mod encoder_trainer;
mod error;
mod hybrid_trainer;
mod learned_scorer;
mod left_out;
mod model_file;
mod progress;
mod trained_model;

use std::path::Path;

use domain::metrics::{
    LearnedMetricKind, MetricTrainer,
    learned_quality::{LearnedMetricComparison, LearnedMetricQuality, LearningCurvePoint},
};
use serde::{Deserialize, Serialize};

pub use self::{
    encoder_trainer::EncoderTrainer,
    error::{ScoringError, TrainingError},
    hybrid_trainer::{HybridTrainer, ResumeFolder},
    learned_scorer::{LearnedScorer, MeaningUse},
    left_out::score_left_out_by_encoder,
    model_file::{ModelFile, ModelFileError},
    progress::{ProgressCallback, TrainingProgress},
    trained_model::{HeldOutFigures, TrainedModel},
};
use crate::{
    metric::{CrossValidationSettings, HybridPlan, HybridSettings},
    tuning::{TuningObjective, TuningPlan},
};

/// Trains metrics of one kind on rated outputs, which it holds together with its settings.
pub trait Trainer {
    /// The agreement with people of metrics that are trained like this, on sources they have not seen: the figures of
    /// each repeat.
    ///
    /// # Errors
    /// The sources are too few, the computation fails, or `on_progress` stops it.
    fn cross_validate(
        &mut self,
        settings: CrossValidationSettings,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<Vec<LearnedMetricQuality>, TrainingError>;

    /// Trains a model.
    ///
    /// # Errors
    /// There is too little to learn from, the computation fails, or `on_progress` stops it.
    fn train(
        &mut self,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<TrainedModel, TrainingError>;

    /// Judges a model that [`Trainer::train`] returned on the held-out sources, and compares it
    /// with `current`, the model in use. `saved` is the file that the new model was written to.
    ///
    /// # Errors
    /// The computation fails, or `on_progress` stops it. A fault of `current` is not an error.
    fn evaluate(
        &mut self,
        model: TrainedModel,
        saved: &Path,
        current: Option<Result<ModelFile, String>>,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<HeldOutEvaluation, TrainingError>;
}

/// The evaluation of a new model on sources that were held out of its training.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOutEvaluation {
    /// Its agreement with people.
    pub quality: LearnedMetricQuality,
    /// The new model against the one in use, or why they cannot be compared; `None` if none is in use.
    pub comparison: Option<Result<LearnedMetricComparison, String>>,
    /// Its agreement with people by the number of outputs it learned from.
    pub curve: Vec<LearningCurvePoint>,
}

/// The metric to train, and its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingPlan {
    /// The settings of trees and ranker, and the share of the sources that is held out. If an encoder
    /// learns, only that share counts.
    #[serde(rename = "plan")]
    pub hybrid: HybridPlan,
    /// The settings for an encoder; `None` if none is trained.
    pub tuning: Option<TuningPlan>,
}

impl TrainingPlan {
    /// The usual settings for a metric of this kind.
    #[must_use]
    pub fn new(kind: LearnedMetricKind, seed: u64, held_out: f64) -> Self {
        let settings = if kind.needs_references() {
            HybridSettings::with_references(seed)
        } else {
            HybridSettings::reference_free(seed)
        };
        let tuning = match kind.trainer() {
            MetricTrainer::Hybrid => None,
            MetricTrainer::Lens => Some(TuningPlan::lens()),
            MetricTrainer::CrossEncoder => Some(TuningPlan::cross()),
        };
        Self {
            hybrid: HybridPlan { settings, held_out },
            tuning: tuning.map(|plan| TuningPlan { seed, ..plan }),
        }
    }
}

impl TuningObjective {
    /// The kind of metric that has this objective.
    #[must_use]
    pub const fn kind(&self) -> LearnedMetricKind {
        match self {
            Self::Lens { .. } => LearnedMetricKind::Lens,
            Self::Cross { .. } => LearnedMetricKind::CrossEncoder,
        }
    }
}

/// The mean of several evaluations, each figure over those that have it; counts come from the first.
/// `None` without any.
#[must_use]
pub fn mean_quality(evaluations: &[LearnedMetricQuality]) -> Option<LearnedMetricQuality> {
    Some(LearnedMetricQuality {
        r: mean_figure(evaluations, |quality| quality.r),
        tau: mean_figure(evaluations, |quality| quality.tau),
        hard: mean_figure(evaluations, |quality| quality.hard),
        degenerate: mean_figure(evaluations, |quality| quality.degenerate),
        ..*evaluations.first()?
    })
}

fn mean_figure(
    evaluations: &[LearnedMetricQuality],
    figure: fn(&LearnedMetricQuality) -> Option<f64>,
) -> Option<f64> {
    let values: Vec<f64> = evaluations.iter().filter_map(figure).collect();
    #[expect(clippy::cast_precision_loss, reason = "repeats are few")]
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_over_those_that_have_the_figure() {
        let with_tau = |tau| LearnedMetricQuality {
            tau,
            outputs: 7,
            ..LearnedMetricQuality::default()
        };
        let evaluations = [with_tau(Some(0.25)), with_tau(None), with_tau(Some(0.75))];
        let mean = mean_quality(&evaluations).expect("there are some");
        assert_eq!((mean.tau, mean.r, mean.outputs), (Some(0.5), None, 7));
        assert_eq!(mean_quality(&[]), None);
    }

    #[test]
    fn a_plan_is_for_the_kind_it_was_made_for() {
        for kind in LearnedMetricKind::ALL.iter().copied() {
            let plan = TrainingPlan::new(kind, 1, 0.2);
            let references = plan.hybrid.settings.references > 0;
            assert_eq!(references, kind.needs_references());
            let tuned = plan.tuning.map(|plan| plan.objective.kind());
            assert_eq!(tuned, kind.trainer().tunes_encoder().then_some(kind));
        }
    }
}
