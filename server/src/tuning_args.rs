//! The hyperparameters of trainers that fine-tune an encoder: as flags of `rankrate train`, and as settings of a study's
//! training, which have the names of these flags.

use anyhow::ensure;
use clap::{Args as _, FromArgMatches as _, ValueEnum};
use learn::tuning::{FeatureBlocks, TextPooling, TuningObjective, TuningPlan};

/// The feature blocks of lens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LensFeatures {
    /// As the paper prints them.
    Six,
    /// As the released program has them.
    Seven,
}

/// The vector of a pair of texts that the heads of a cross-encoder see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PoolingArg {
    /// The mean over its pieces.
    Mean,
    /// That of its first piece.
    First,
}

impl From<PoolingArg> for TextPooling {
    fn from(pooling: PoolingArg) -> Self {
        match pooling {
            PoolingArg::Mean => Self::Mean,
            PoolingArg::First => Self::First,
        }
    }
}

/// The hyperparameters that differ from the defaults.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Trainers lens and cross-encoder")]
pub(crate) struct TuningArgs {
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
    /// The peak learning rate of the tuned layers; by default 2e-4 for lens, 8e-5 for cross-encoder.
    #[arg(long, value_name = "RATE")]
    encoder_lr: Option<f64>,
    /// The peak learning rate of the head of lens while the encoder is frozen; by default 2e-3.
    #[arg(long, value_name = "RATE")]
    head_lr: Option<f64>,
    /// The head's peak learning rate while layers are tuned, as a multiple of theirs; by default 5 for lens, 8 for
    /// cross-encoder.
    #[arg(long, value_name = "FACTOR")]
    head_lr_factor: Option<f64>,
    /// The batch size, in sources; by default 4 while the encoder is frozen, and then 1.
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    /// The number of epochs without improvement after which the training ends; by default 10.
    #[arg(long, value_name = "N")]
    patience: Option<usize>,
    /// Dropout in the head and in the tuned layers; by default 0.1.
    #[arg(long, value_name = "SHARE")]
    dropout: Option<f64>,
    /// Weight decay; by default 0.01.
    #[arg(long, value_name = "DECAY")]
    weight_decay: Option<f32>,
    /// Let references count that are identical to the output, which flatters lens.
    #[arg(long)]
    pub(crate) identical_references: bool,
    /// The feature blocks of lens: `six` as the paper prints them, or `seven` with the source's
    /// own embedding, as the released program has them.
    #[arg(long, value_enum, value_name = "BLOCKS")]
    lens_features: Option<LensFeatures>,
    /// The number k of references, those with the greatest predictions, over which the error of lens is taken; by default 3.
    #[arg(long, value_name = "K")]
    top_references: Option<usize>,
    /// The widths of the two hidden layers of lens; by default 128,64.
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    hidden: Vec<usize>,
    /// The vector of source and output that the heads of the cross-encoder see; by default that of the pre-trained
    /// encoder, or the mean.
    #[arg(long, value_enum)]
    pooling: Option<PoolingArg>,
    /// The weight of the cross-encoder's ranking head in its scores, in standard deviations; by default 0.2.
    #[arg(long, value_name = "WEIGHT")]
    order_share: Option<f64>,
}

impl TuningArgs {
    /// The arguments that `rankrate train` reads from these names and values of flags.
    ///
    /// # Errors
    /// For an unknown flag, or a value that cannot be read.
    pub(crate) fn from_flags<'a>(
        flags: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, clap::Error> {
        let command = Self::augment_args(clap::Command::new("train").no_binary_name(true));
        let arguments = flags.map(|(name, value)| format!("--{name}={value}"));
        Self::from_arg_matches(&command.try_get_matches_from(arguments)?)
    }

    /// Whether any argument is set that only concerns references.
    pub(crate) const fn concerns_references(&self) -> bool {
        self.identical_references
            || self.lens_features.is_some()
            || self.top_references.is_some()
            || !self.hidden.is_empty()
    }

    /// Whether any argument is set that only concerns an encoder that reads source and output together.
    const fn concerns_pairs(&self) -> bool {
        self.pooling.is_some() || self.order_share.is_some()
    }

    /// Applies the arguments to a plan.
    ///
    /// # Errors
    /// An argument is for another trainer.
    pub(crate) fn change_plan(&self, plan: &mut TuningPlan) -> anyhow::Result<()> {
        match &mut plan.objective {
            TuningObjective::Lens {
                identical,
                features,
                top,
                hidden,
            } => {
                ensure!(
                    !self.concerns_pairs(),
                    "--pooling and --order-share are for --trainer cross-encoder"
                );

                *identical = self.identical_references;
                *features = match self.lens_features {
                    Some(LensFeatures::Six) => FeatureBlocks::Six,
                    Some(LensFeatures::Seven) | None => FeatureBlocks::Seven,
                };
                *top = self.top_references.unwrap_or(*top);
                match self.hidden[..] {
                    [] => {}
                    [first, second] => *hidden = [first, second],
                    _ => anyhow::bail!("--hidden takes two widths, such as 128,64"),
                }
            }
            TuningObjective::Cross {
                order_share,
                pooling,
            } => {
                ensure!(
                    self.head_lr.is_none(),
                    "--head-lr is for epochs with the encoder frozen, of which the cross-encoder has none: use --head-lr-factor"
                );

                *order_share = self.order_share.unwrap_or(*order_share);
                *pooling = self.pooling.map_or(*pooling, Into::into);
            }
        }

        plan.frozen_epochs = self.frozen_epochs.unwrap_or(plan.frozen_epochs);
        plan.tuned_epochs = self.tuned_epochs.unwrap_or(plan.tuned_epochs);
        plan.tuned_layers = self.tuned_layers.unwrap_or(plan.tuned_layers);
        plan.encoder_lr = self.encoder_lr.unwrap_or(plan.encoder_lr);
        plan.head_lr = self.head_lr.unwrap_or(plan.head_lr);
        plan.head_lr_factor = self.head_lr_factor.unwrap_or(plan.head_lr_factor);
        plan.sources_a_step = self.batch.map_or(plan.sources_a_step, |batch| [batch; 2]);
        plan.patience = self.patience.unwrap_or(plan.patience);
        plan.dropout = self.dropout.unwrap_or(plan.dropout);
        plan.encoder_dropout = self.dropout.unwrap_or(plan.encoder_dropout);
        plan.weight_decay = self.weight_decay.unwrap_or(plan.weight_decay);

        Ok(())
    }
}
