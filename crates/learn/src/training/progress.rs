use std::ops::ControlFlow;

use crate::{metric::LearningCurvePoint, tuning::TuningProgress};

/// The progress of a training, cross-validation or evaluation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TrainingProgress {
    /// The features of `done` sources are computed.
    Features {
        /// Sources done.
        done: usize,
        /// All sources.
        total: usize,
    },
    /// The features of the degenerate outputs of `done` sources are computed.
    DegenerateFeatures {
        /// Sources done.
        done: usize,
        /// All sources.
        total: usize,
    },
    /// A tree has been grown.
    Tree {
        /// Trees so far.
        done: usize,
        /// All trees.
        total: usize,
        /// The mean squared error that remains on the training data.
        loss: f64,
    },
    /// An encoder is being prepared, or has made a step.
    Step {
        /// The progress of its training.
        step: TuningProgress,
        /// The models that were trained before it in the same cross-validation.
        models_before: usize,
    },
    /// The models of `done` folds are trained and scored, over all repeats.
    Fold {
        /// Folds done.
        done: usize,
        /// All folds of all repeats.
        total: usize,
    },
    /// A point of the learning curve.
    CurvePoint(LearningCurvePoint),
}

/// Receives the progress; a break stops the work with [`TrainingError::is_stopped`].
///
/// [`TrainingError::is_stopped`]: super::TrainingError::is_stopped
pub type ProgressCallback<'a> = dyn FnMut(TrainingProgress) -> ControlFlow<()> + Send + 'a;

impl TrainingProgress {
    /// The progress of the first, or the only, model of several.
    #[must_use]
    pub const fn first(step: TuningProgress) -> Self {
        Self::Step {
            step,
            models_before: 0,
        }
    }
}
