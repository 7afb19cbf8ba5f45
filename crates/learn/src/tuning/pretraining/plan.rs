//! The settings of pre-training.

use serde::{Deserialize, Serialize};

use super::PretrainingSignal;
use crate::tuning::{TextPooling, TuningError, TuningObjective, TuningPlan};

/// The settings of both stages of pre-training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PretrainingPlan {
    /// How the encoder learns in the first stage. The weight of the ranking head has no meaning here.
    pub first: TuningPlan,
    /// How it learns in the second stage.
    pub second: TuningPlan,
    /// The signals that are learned: in the first stage those that need no references, in the second all.
    pub signals: Vec<PretrainingSignal>,
    /// The share of candidates that are made worse, from 0 to 1.
    pub degraded: f64,
    /// The random seed of what is made worse, and how.
    pub seed: u64,
}

impl PretrainingPlan {
    /// The usual settings: all signals, and two of five candidates made worse (Huang and Kochmar 2024, appendix A.1).
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let stage = |tuned_epochs, encoder_lr, patience| TuningPlan {
            tuned_epochs,
            encoder_lr,
            patience,
            sources_a_step: [4, 4],
            seed,
            ..TuningPlan::cross()
        };
        Self {
            first: stage(3, 1e-4, 1),
            second: stage(10, 5e-5, 2),
            signals: PretrainingSignal::ALL.to_vec(),
            degraded: 0.4,
            seed,
        }
    }

    /// The settings of a stage.
    #[must_use]
    pub const fn stage(&self, stage: PretrainingStage) -> &TuningPlan {
        match stage {
            PretrainingStage::First => &self.first,
            PretrainingStage::Second => &self.second,
        }
    }

    /// The signals that are learned in a stage.
    #[must_use]
    pub fn stage_signals(&self, stage: PretrainingStage) -> Vec<PretrainingSignal> {
        let is_learned = |signal: &PretrainingSignal| {
            stage == PretrainingStage::Second || !signal.needs_references()
        };
        self.signals.iter().copied().filter(is_learned).collect()
    }

    /// The vector of a pair of texts that the heads see.
    #[must_use]
    pub fn pooling(&self) -> TextPooling {
        match self.first.objective {
            TuningObjective::Cross { pooling, .. } => pooling,
            TuningObjective::Lens { .. } => TextPooling::Mean,
        }
    }

    /// Checks that all numbers are in their ranges.
    ///
    /// # Errors
    /// [`TuningError::Plan`] for one that is not.
    pub(super) fn check(&self) -> Result<(), TuningError> {
        let wrong = |reason: &str| Err(TuningError::Plan(reason.to_owned()));
        for stage in [&self.first, &self.second] {
            stage.check()?;
            if matches!(stage.objective, TuningObjective::Lens { .. }) {
                return wrong("only a cross-encoder is pre-trained");
            }
        }
        if !(0.0..=1.0).contains(&self.degraded) {
            return wrong("the share of candidates that are made worse is from 0 to 1");
        }
        let repeated = |at: usize| self.signals[..at].contains(&self.signals[at]);
        if (0..self.signals.len()).any(repeated) {
            return wrong("a signal is named twice");
        }
        Ok(())
    }
}

/// A stage of pre-training.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum PretrainingStage {
    /// By signals that need no references.
    First,
    /// By these and by signals that compare with references.
    Second,
}

impl PretrainingStage {
    /// Its number, from 1.
    #[must_use]
    pub const fn number(self) -> usize {
        match self {
            Self::First => 1,
            Self::Second => 2,
        }
    }
}
