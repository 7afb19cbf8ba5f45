//! Training settings of networks.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{FeatureBlocks, TuningError};
use crate::metric::fingerprint;

/// The usual weight of the ranking head of a cross-encoder.
pub(super) const DEFAULT_ORDER_SHARE: f64 = 0.2;

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
    /// The fingerprints of the validation sources, if they are chosen by hand rather than at random. Not used in a
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
        /// Whether references count that are identical to the output. A study whose references are
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
    /// The vector of its first piece, which represents the whole text in BERT.
    First,
}

impl TextPooling {
    /// Its name, as on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::First => "first",
        }
    }
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
                order_share: DEFAULT_ORDER_SHARE,
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
    /// [`TuningError::Plan`] for the first one that is not.
    pub(super) fn check(&self) -> Result<(), TuningError> {
        match self.objective {
            TuningObjective::Lens { top: 0, .. } => {
                return refuse("the error must be taken over one reference at least");
            }
            TuningObjective::Lens {
                hidden: [0, _] | [_, 0],
                ..
            } => return refuse("each layer of the regressor needs units"),
            TuningObjective::Cross { .. } if self.frozen_epochs > 0 => {
                return refuse("the cross-encoder learns as a whole: set no frozen epochs");
            }
            _ => {}
        }

        if !(self.weight_decay.is_finite() && self.weight_decay >= 0.0) {
            return refuse("weight decay must be 0 or more");
        }

        if let TuningObjective::Cross { order_share, .. } = self.objective
            && !(order_share.is_finite() && order_share >= 0.0)
        {
            return refuse("the weight of the ranking head must be 0 or more");
        }

        let rates = [self.head_lr, self.encoder_lr, self.head_lr_factor];
        if self.frozen_epochs + self.tuned_epochs == 0 {
            return refuse("there must be one epoch at least");
        }
        if self.tuned_epochs > 0 && self.tuned_layers == 0 {
            return refuse("one layer of the encoder at least must learn in the tuned epochs");
        }
        if rates.iter().any(|rate| !(rate.is_finite() && *rate > 0.0)) {
            return refuse("rates of learning must be above 0");
        }
        if self.sources_a_step.contains(&0) {
            return refuse("there must be one source at least in a step");
        }

        let dropouts = [self.dropout, self.encoder_dropout];
        if dropouts.iter().any(|share| !(0.0..1.0).contains(share))
            || !(0.0..0.9).contains(&self.validation)
        {
            return refuse("dropout must be from 0 to below 1, the share of validation below 0.9");
        }

        Ok(())
    }

    /// The same settings, with those that its training does not use at their usual values, so that two plans with the
    /// same training are equal.
    #[must_use]
    pub(super) fn without_unused(&self) -> Self {
        let (usual, head_has_dropout) = match self.objective {
            TuningObjective::Lens { .. } => (Self::lens(), true),
            TuningObjective::Cross { .. } => (Self::cross(), false),
        };
        let mut used = self.clone();

        if !head_has_dropout {
            used.dropout = usual.dropout;
        }
        if self.frozen_epochs == 0 {
            used.head_lr = usual.head_lr;
            used.sources_a_step[0] = usual.sources_a_step[0];
        }
        if self.tuned_epochs == 0 {
            used.tuned_layers = usual.tuned_layers;
            used.encoder_lr = usual.encoder_lr;
            used.head_lr_factor = usual.head_lr_factor;
            used.encoder_dropout = usual.encoder_dropout;
            used.sources_a_step[1] = usual.sources_a_step[1];
        }
        if !self.validation_sources.is_empty() {
            used.validation = usual.validation;
        }

        used
    }

    /// All settings that its training uses except the seed, for the signature of a model: `name:value|name:value`.
    #[must_use]
    pub(super) fn describe(&self) -> String {
        let mut parts = Vec::new();
        let [frozen_batch, tuned_batch] = self.sources_a_step;
        let (has_frozen, has_tuned) = (self.frozen_epochs > 0, self.tuned_epochs > 0);

        if let TuningObjective::Lens {
            hidden: [first, second],
            top,
            identical,
            ..
        } = self.objective
        {
            let identical = if identical { "yes" } else { "no" };
            parts.push(format!("hidden:{first}x{second}"));
            parts.push(format!("top:{top}"));
            parts.push(format!("identical:{identical}"));
        }
        if let TuningObjective::Cross {
            order_share,
            pooling,
        } = self.objective
        {
            parts.push(format!("order:{order_share}"));
            parts.push(format!("pooling:{}", pooling.name()));
        }

        parts.push(format!(
            "epochs:{}+{}",
            self.frozen_epochs, self.tuned_epochs
        ));
        if has_frozen {
            parts.push(format!("head-lr:{}", self.head_lr));
        }
        if has_tuned {
            parts.push(format!("layers:{}", self.tuned_layers));
            parts.push(format!("encoder-lr:{}", self.encoder_lr));
            parts.push(format!("head-lr-factor:{}", self.head_lr_factor));
        }

        parts.push(match (has_frozen, has_tuned) {
            (true, true) => format!("batch:{frozen_batch}+{tuned_batch}"),
            (true, false) => format!("batch:{frozen_batch}"),
            (false, _) => format!("batch:{tuned_batch}"),
        });
        parts.push(format!("decay:{}", self.weight_decay));
        if matches!(self.objective, TuningObjective::Lens { .. }) {
            parts.push(format!("head-dropout:{}", self.dropout));
        }
        if has_tuned {
            parts.push(format!("encoder-dropout:{}", self.encoder_dropout));
        }

        parts.push(match self.validation_sources.is_empty() {
            true => format!("validation:{}", self.validation),
            false => {
                let names: Vec<&str> = self.validation_sources.iter().map(|s| &**s).collect();
                format!("validation:{:.12}", fingerprint(names.join(" ")))
            }
        });
        parts.push(format!("patience:{}", self.patience));
        parts.join("|")
    }

    /// The number of all epochs.
    #[must_use]
    pub const fn epochs(&self) -> usize {
        self.frozen_epochs + self.tuned_epochs
    }
}

fn refuse(reason: &str) -> Result<(), TuningError> {
    Err(TuningError::Plan(reason.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change of a setting, and whether it changes what is trained.
    type PlanChange = (&'static str, fn(&mut TuningPlan), bool);

    fn check_changes(plan: &TuningPlan, changes: &[PlanChange]) {
        for (name, change, is_used) in changes {
            let mut changed = plan.clone();
            change(&mut changed);
            assert_ne!(&changed, plan, "{name}");
            let differs = changed.without_unused() != plan.without_unused();
            assert_eq!(differs, *is_used, "{name}");
            assert_eq!(changed.describe() != plan.describe(), *is_used, "{name}");
        }
    }

    #[test]
    fn what_changes_the_training_of_a_cross_encoder_is_described() {
        let plan = TuningPlan::cross();
        assert_eq!(
            plan.describe(),
            "order:0.2|pooling:mean|epochs:0+2|layers:6|encoder-lr:0.00008|head-lr-factor:8|batch:1|decay:0.01|\
             encoder-dropout:0.1|validation:0.1|patience:10"
        );
        check_changes(
            &plan,
            &[
                ("layers", |plan| plan.tuned_layers = 2, true),
                ("rate", |plan| plan.encoder_lr = 7e-5, true),
                ("factor", |plan| plan.head_lr_factor = 2.0, true),
                ("batch", |plan| plan.sources_a_step = [4, 2], true),
                ("decay", |plan| plan.weight_decay = 0.1, true),
                ("dropout", |plan| plan.encoder_dropout = 0.0, true),
                ("share", |plan| plan.validation = 0.2, true),
                ("patience", |plan| plan.patience = 1, true),
                ("epochs", |plan| plan.tuned_epochs = 3, true),
                (
                    "pooling",
                    |plan| {
                        plan.objective = TuningObjective::Cross {
                            order_share: 0.2,
                            pooling: TextPooling::First,
                        };
                    },
                    true,
                ),
                (
                    "sources",
                    |plan| plan.validation_sources = BTreeSet::from(["one".to_owned()]),
                    true,
                ),
                ("no frozen epochs", |plan| plan.head_lr = 0.5, false),
                (
                    "no frozen batch",
                    |plan| plan.sources_a_step = [8, 1],
                    false,
                ),
                ("no dropout in the head", |plan| plan.dropout = 0.5, false),
            ],
        );
    }

    #[test]
    fn what_changes_the_training_of_lens_is_described() {
        let plan = TuningPlan::lens();
        assert_eq!(
            plan.describe(),
            "hidden:128x64|top:3|identical:no|epochs:20+6|head-lr:0.002|layers:6|encoder-lr:0.0002|head-lr-factor:5|\
             batch:4+1|decay:0.01|head-dropout:0.1|encoder-dropout:0.1|validation:0.1|patience:10"
        );
        check_changes(
            &plan,
            &[
                ("rate", |plan| plan.head_lr = 1e-3, true),
                ("frozen batch", |plan| plan.sources_a_step = [8, 1], true),
                ("dropout", |plan| plan.dropout = 0.2, true),
                (
                    "references",
                    |plan| {
                        plan.objective = TuningObjective::Lens {
                            features: FeatureBlocks::Seven,
                            hidden: [128, 64],
                            top: 2,
                            identical: false,
                        };
                    },
                    true,
                ),
            ],
        );
        // The share is not used where validation sources are named, nor are settings of epochs that there are none of.
        let frozen = TuningPlan {
            tuned_epochs: 0,
            validation_sources: BTreeSet::from(["one".to_owned()]),
            ..plan
        };
        check_changes(
            &frozen,
            &[
                ("share", |plan| plan.validation = 0.3, false),
                ("layers", |plan| plan.tuned_layers = 1, false),
                ("rate", |plan| plan.encoder_lr = 1.0, false),
                ("batch", |plan| plan.sources_a_step = [4, 9], false),
                (
                    "other sources",
                    |plan| plan.validation_sources = BTreeSet::from(["two".to_owned()]),
                    true,
                ),
            ],
        );
    }
}
