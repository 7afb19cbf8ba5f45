//! One interface to train, judge, open and score with every kind of learned metric.
//!
//! A [`Trainer`] turns rated outputs into a [`TrainedModel`]. A [`ModelFile`] is a model read back, of the
//! kind that the file's header names, and a [`LearnedScorer`] scores with it.
//!
//! A new trainer is an implementation of [`Trainer`] in a file of its own, its settings in [`TrainingPlan`],
//! and a variant of [`TrainedModel`], [`ModelFile`] and [`LearnedScorer`].

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
    learned_scorer::LearnedScorer,
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
    /// How well metrics that are trained like this agree with people on sources they have not seen: the
    /// figures of each repeat.
    ///
    /// # Errors
    /// The sources do not allow it, the computation fails, or `on_progress` stops it.
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

    /// Judges a model that [`Trainer::train`] returned by the sources that were held out, and compares it
    /// with `current`, the model in use. `saved` is the file that the new model was written to.
    ///
    /// # Errors
    /// The computation fails, or `on_progress` stops it. What is wrong with `current` is no error.
    fn evaluate(
        &mut self,
        model: TrainedModel,
        saved: &Path,
        current: Option<Result<ModelFile, String>>,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<HeldOutEvaluation, TrainingError>;
}

/// How a new model does on sources that were held out of its training.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOutEvaluation {
    /// Its agreement with people.
    pub quality: LearnedMetricQuality,
    /// The new model against the one in use, or why they cannot be compared; `None` where none is in use.
    pub comparison: Option<Result<LearnedMetricComparison, String>>,
    /// Its agreement with people by the number of outputs it learned from.
    pub curve: Vec<LearningCurvePoint>,
}

/// Which metric to train, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingPlan {
    /// The settings of trees and ranker, and the share of the sources that is held out. Where an encoder
    /// learns, only that share counts.
    #[serde(rename = "plan")]
    pub hybrid: HybridPlan,
    /// How an encoder learns; `None` where none does.
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

/// The mean of several evaluations, each figure over those that have it; counts are those of the first.
/// `None` without any.
#[must_use]
pub fn mean_quality(evaluations: &[LearnedMetricQuality]) -> Option<LearnedMetricQuality> {
    let mean = |figure: fn(&LearnedMetricQuality) -> Option<f64>| -> Option<f64> {
        let values: Vec<f64> = evaluations.iter().filter_map(figure).collect();
        #[expect(clippy::cast_precision_loss, reason = "repeats are few")]
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    Some(LearnedMetricQuality {
        r: mean(|quality| quality.r),
        tau: mean(|quality| quality.tau),
        hard: mean(|quality| quality.hard),
        degenerate: mean(|quality| quality.degenerate),
        ..*evaluations.first()?
    })
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
