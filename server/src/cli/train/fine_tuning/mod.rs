//! The arguments of trainers that fine-tune an encoder.

use std::path::PathBuf;

use clap::ValueEnum;
use learn::tuning::{FeatureBlocks, TuningObjective, TuningPlan};

/// The feature blocks of lens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LensFeatures {
    /// As the paper prints them.
    Six,
    /// As the released program has them.
    Seven,
}

/// The arguments of trainers that fine-tune an encoder.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Trainers lens and cross-encoder")]
pub(super) struct TuningArgs {
    /// Epochs with the encoder frozen; by default 20 for lens, none for cross-encoder.
    #[arg(long, value_name = "N")]
    frozen_epochs: Option<usize>,
    /// Epochs after these, in which the encoder's last layers are tuned as well; by default 6 for lens, 2 for
    /// cross-encoder.
    #[arg(long, value_name = "N")]
    tuned_epochs: Option<usize>,
    /// The number of layers that are tuned, counted from the last; by default 6.
    #[arg(long, value_name = "N")]
    tuned_layers: Option<usize>,
    /// Let references count that are identical to the output, which flatters lens.
    #[arg(long)]
    pub(super) identical_references: bool,
    /// The feature blocks of lens: `six` as the paper prints them, or `seven` with the source's
    /// own embedding, as the released program has them.
    #[arg(long, value_enum, value_name = "BLOCKS")]
    lens_features: Option<LensFeatures>,
    /// Keep the training in this file after each epoch, and continue from it after an interruption.
    #[arg(long, value_name = "FILE", requires = "out")]
    pub(super) checkpoint: Option<PathBuf>,
}

impl TuningArgs {
    /// Whether there are arguments that only concern an encoder that learns.
    pub(super) const fn is_set(&self) -> bool {
        self.frozen_epochs.is_some()
            || self.tuned_epochs.is_some()
            || self.tuned_layers.is_some()
            || self.concerns_references()
            || self.checkpoint.is_some()
    }

    /// Whether there are arguments that only concern references.
    pub(super) const fn concerns_references(&self) -> bool {
        self.identical_references || self.lens_features.is_some()
    }

    /// Puts the arguments into a plan.
    pub(super) fn change_plan(&self, plan: &mut TuningPlan) {
        if let TuningObjective::Lens {
            identical,
            features,
            ..
        } = &mut plan.objective
        {
            *identical = self.identical_references;
            *features = match self.lens_features {
                Some(LensFeatures::Six) => FeatureBlocks::Six,
                Some(LensFeatures::Seven) | None => FeatureBlocks::Seven,
            };
        }
        plan.frozen_epochs = self.frozen_epochs.unwrap_or(plan.frozen_epochs);
        plan.tuned_epochs = self.tuned_epochs.unwrap_or(plan.tuned_epochs);
        plan.tuned_layers = self.tuned_layers.unwrap_or(plan.tuned_layers);
    }
}

#[cfg(test)]
pub(super) mod tests;
