//! Training settings of networks.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{FeatureBlocks, TuningError};

/// A training objective with all its hyperparameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct TuningPlan {
    /// The objective.
    pub objective: TuningObjective,
    /// Epochs with the encoder frozen.
    pub frozen_epochs: usize,
    /// Epochs after these, in which the encoder's last layers are tuned as well.
    pub tuned_epochs: usize,
    /// The number of the encoder's layers that are tuned, counted from the last.
    pub tuned_layers: usize,
    /// The head's peak learning rate in frozen epochs. All learning rates warm up linearly over the first
    /// tenth of the steps and decay linearly to zero over the rest.
    #[serde(rename = "frozen_rate")]
    pub head_lr: f64,
    /// The encoder's peak learning rate in tuned epochs.
    #[serde(rename = "rate")]
    pub encoder_lr: f64,
    /// The head's peak learning rate in tuned epochs, as a multiple of the encoder's.
    #[serde(rename = "head_factor")]
    pub head_lr_factor: f64,
    /// The batch size in sources, in frozen and in tuned epochs.
    #[schema(value_type = Vec<usize>)]
    pub sources_a_step: [usize; 2],
    /// Weight decay (AdamW).
    #[serde(rename = "decay")]
    pub weight_decay: f32,
    /// Dropout in the head.
    pub dropout: f64,
    /// Dropout in the tuned layers.
    #[serde(default)]
    pub encoder_dropout: f64,
    /// The share of validation sources, by which the best epoch is chosen.
    pub validation: f64,
    /// The fingerprints of the validation sources, where these are chosen by hand in place of a random share. Not used in a
    /// cross-validation.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub validation_sources: BTreeSet<String>,
    /// The number of epochs without improvement after which a stage ends.
    pub patience: usize,
    /// The random seed.
    pub seed: u64,
}

/// The objective.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TuningObjective {
    /// LENS: embeds source, output and reference separately, and takes the error over the best references only.
    Lens {
        /// The feature blocks of the regressor.
        features: FeatureBlocks,
        /// The widths of its two hidden layers.
        hidden: [usize; 2],
        /// The number of references, those with the greatest predictions, over which the error is taken.
        top: usize,
        /// Whether references count that are identical to the output. A study in which references are
        /// among the rated outputs flatters a metric that compares with them.
        identical: bool,
    },
    /// A cross-encoder: reads source and output together, without references.
    Cross {
        /// The weight of the ranking head in the score, in standard deviations.
        order_share: f64,
        /// The vector that the heads see.
        #[serde(default)]
        pooling: TextPooling,
    },
}

/// The vector of a text, or of a pair of texts, that heads see.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextPooling {
    /// The mean over its pieces.
    #[default]
    Mean,
    /// That of its first piece, which stands for the whole text in BERT.
    First,
}

impl TuningPlan {
    /// The settings for LENS.
    #[must_use]
    pub fn lens() -> Self {
        Self {
            objective: TuningObjective::Lens {
                features: FeatureBlocks::Seven,
                hidden: [128, 64],
                top: 3,
                identical: false,
            },
            frozen_epochs: 20,
            tuned_epochs: 6,
            tuned_layers: 6,
            head_lr: 2e-3,
            encoder_lr: 2e-4,
            head_lr_factor: 5.0,
            sources_a_step: [4, 1],
            weight_decay: 0.01,
            dropout: 0.1,
            encoder_dropout: 0.1,
            validation: 0.1,
            validation_sources: BTreeSet::new(),
            patience: 10,
            seed: 1,
        }
    }

    /// The settings for the cross-encoder without references.
    #[must_use]
    pub fn cross() -> Self {
        Self {
            objective: TuningObjective::Cross {
                order_share: 0.2,
                pooling: TextPooling::Mean,
            },
            frozen_epochs: 0,
            tuned_epochs: 2,
            encoder_lr: 8e-5,
            head_lr_factor: 8.0,
            ..Self::lens()
        }
    }

    /// Checks that all numbers are in their ranges.
    ///
    /// # Errors
    /// [`TuningError::Plan`] for one that is not.
    pub(super) fn check(&self) -> Result<(), TuningError> {
        let wrong = |reason: &str| Err(TuningError::Plan(reason.to_owned()));
        match self.objective {
            TuningObjective::Lens { top: 0, .. } => {
                return wrong("the error must be taken over one reference at least");
            }
            TuningObjective::Lens {
                hidden: [0, _] | [_, 0],
                ..
            } => return wrong("each layer of the regressor needs units"),
            TuningObjective::Cross { .. } if self.frozen_epochs > 0 => {
                return wrong("the cross-encoder learns as a whole: set no frozen epochs");
            }
            _ => {}
        }
        if !(self.weight_decay.is_finite() && self.weight_decay >= 0.0) {
            return wrong("weight decay must be 0 or more");
        }
        if let TuningObjective::Cross { order_share, .. } = self.objective
            && !(order_share.is_finite() && order_share >= 0.0)
        {
            return wrong("the weight of the ranking head must be 0 or more");
        }
        let rates = [self.head_lr, self.encoder_lr, self.head_lr_factor];
        if self.frozen_epochs + self.tuned_epochs == 0 {
            return wrong("there must be one epoch at least");
        }
        if self.tuned_epochs > 0 && self.tuned_layers == 0 {
            return wrong("one layer of the encoder at least must learn in the tuned epochs");
        }
        if rates.iter().any(|rate| !(rate.is_finite() && *rate > 0.0)) {
            return wrong("rates of learning must be above 0");
        }
        if self.sources_a_step.contains(&0) {
            return wrong("there must be one source at least in a step");
        }
        let dropouts = [self.dropout, self.encoder_dropout];
        if dropouts.iter().any(|share| !(0.0..1.0).contains(share))
            || !(0.0..0.9).contains(&self.validation)
        {
            return wrong("dropout must be from 0 to below 1, the share of validation below 0.9");
        }
        Ok(())
    }

    /// The number of all epochs.
    #[must_use]
    pub const fn epochs(&self) -> usize {
        self.frozen_epochs + self.tuned_epochs
    }
}
