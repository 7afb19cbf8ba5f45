//! The settings of pre-training.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::PretrainingSignal;
use crate::tuning::{DEFAULT_ORDER_SHARE, TextPooling, TuningError, TuningObjective, TuningPlan};

/// The settings of both stages of pre-training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PretrainingPlan {
    /// The settings of the first stage. The weight of the ranking head has no effect.
    pub first: TuningPlan,
    /// The settings of the second stage.
    pub second: TuningPlan,
    /// The signals that are learned: all in the second stage, and in the first those that do not need references.
    pub signals: Vec<PretrainingSignal>,
    /// The share of candidates that are made worse, from 0 to 1.
    pub degraded: f64,
    /// The random seed of degradation.
    pub seed: u64,
}

impl PretrainingPlan {
    /// The usual settings: all signals, and two of five candidates made worse (Huang and Kochmar 2024, appendix A.1).
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            first: build_stage(3, 1e-4, 1, seed),
            second: build_stage(10, 5e-5, 2, seed),
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
        self.signals
            .iter()
            .copied()
            .filter(|signal| stage == PretrainingStage::Second || !signal.needs_references())
            .collect()
    }

    /// The vector of a pair of texts that the heads of a stage see.
    #[must_use]
    pub const fn pooling(&self, stage: PretrainingStage) -> TextPooling {
        match self.stage(stage).objective {
            TuningObjective::Cross { pooling, .. } => pooling,
            TuningObjective::Lens { .. } => TextPooling::Mean,
        }
    }

    /// The settings that matter to these stages, with usual values for all others, so that two plans by which the
    /// stages learn the same are equal. `stages` are in their order.
    #[must_use]
    pub(super) fn of_stages(&self, stages: &[PretrainingStage]) -> Self {
        let mut own = Self::new(self.seed);
        for stage in stages {
            let used = self.stage(*stage).without_unused();
            // There is no ranking, and development sources are chosen by their texts.
            let objective = TuningObjective::Cross {
                order_share: DEFAULT_ORDER_SHARE,
                pooling: self.pooling(*stage),
            };
            let used = TuningPlan {
                objective,
                validation: self.stage(*stage).validation,
                validation_sources: BTreeSet::new(),
                ..used
            };

            match stage {
                PretrainingStage::First => own.first = used,
                PretrainingStage::Second => own.second = used,
            }
        }

        let last = stages.last();
        own.signals = last.map_or_else(Vec::new, |last| self.stage_signals(*last));
        own.degraded = self.degraded;
        own
    }

    /// Checks that all numbers are in their ranges.
    ///
    /// # Errors
    /// [`TuningError::Plan`] for the first one that is not.
    pub(super) fn check(&self) -> Result<(), TuningError> {
        for stage in [&self.first, &self.second] {
            stage.check()?;
            if matches!(stage.objective, TuningObjective::Lens { .. }) {
                return refuse("only a cross-encoder is pre-trained");
            }
        }
        if !(0.0..=1.0).contains(&self.degraded) {
            return refuse("the share of candidates that are made worse is from 0 to 1");
        }
        if (0..self.signals.len()).any(|at| self.signals[..at].contains(&self.signals[at])) {
            return refuse("a signal is named twice");
        }
        Ok(())
    }
}

fn build_stage(tuned_epochs: usize, encoder_lr: f64, patience: usize, seed: u64) -> TuningPlan {
    TuningPlan {
        tuned_epochs,
        encoder_lr,
        patience,
        sources_a_step: [4, 4],
        seed,
        ..TuningPlan::cross()
    }
}

fn refuse(reason: &str) -> Result<(), TuningError> {
    Err(TuningError::Plan(reason.to_owned()))
}

/// A stage of pre-training.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum PretrainingStage {
    /// Learns signals that do not need references.
    First,
    /// Also learns signals that compare with references.
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

#[cfg(test)]
mod tests {
    use super::*;
    use PretrainingStage::{First, Second};

    #[test]
    fn a_stage_is_changed_by_its_own_settings_alone() {
        let plan = PretrainingPlan::new(1);
        let differs = |other: &PretrainingPlan, stages: &[PretrainingStage]| {
            other.of_stages(stages) != plan.of_stages(stages)
        };
        let check = |other: PretrainingPlan, first: bool, second: bool, both: bool| {
            let result = [&[First][..], &[Second], &[First, Second]];
            let result = result.map(|stages| differs(&other, stages));
            assert_eq!(result, [first, second, both], "{other:?}");
        };
        let change_stage = |change: fn(&mut TuningPlan)| {
            let (mut first, mut second) = (plan.clone(), plan.clone());
            change(&mut first.first);
            change(&mut second.second);
            (first, second)
        };
        for change in [
            (|stage| stage.encoder_lr = 1e-3) as fn(&mut TuningPlan),
            |stage| stage.tuned_layers = 1,
            |stage| stage.sources_a_step = [4, 7],
            |stage| stage.validation = 0.3,
            |stage| stage.patience = 9,
            |stage| stage.seed = 9,
        ] {
            let (first, second) = change_stage(change);
            check(first, true, false, true);
            check(second, false, true, true);
        }
        // Neither the ranking head nor frozen epochs exist.
        for change in [
            (|stage| stage.head_lr = 1.0) as fn(&mut TuningPlan),
            |stage| stage.dropout = 0.5,
            |stage| {
                stage.objective = TuningObjective::Cross {
                    order_share: 0.7,
                    pooling: TextPooling::Mean,
                };
            },
        ] {
            let (first, second) = change_stage(change);
            check(first, false, false, false);
            check(second, false, false, false);
        }
        let degraded = PretrainingPlan {
            degraded: 0.1,
            ..plan.clone()
        };
        check(degraded, true, true, true);
        let signals = |without: PretrainingSignal| {
            let kept = plan.signals.iter().filter(|signal| **signal != without);
            PretrainingPlan {
                signals: kept.copied().collect(),
                ..plan.clone()
            }
        };
        check(signals(PretrainingSignal::Sari), false, true, true);
        check(signals(PretrainingSignal::SelfBleu), true, true, true);
    }
}
