use learn::tuning::{PretrainingPlan, TuningObjective, TuningPlan};

use crate::tuning_args::PoolingArg;

/// How the encoder learns in each stage. All learning rates are peak rates.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Stages")]
pub(super) struct StageArgs {
    /// Epochs of stage 1; by default 3 at most.
    #[arg(long, value_name = "N")]
    first_epochs: Option<usize>,
    /// Epochs of stage 2; by default 10 at most.
    #[arg(long, value_name = "N")]
    second_epochs: Option<usize>,
    /// Epochs of the training on ratings in an ablation; by default 2.
    #[arg(long, value_name = "N")]
    third_epochs: Option<usize>,
    /// The encoder's learning rate in stage 1; by default 1e-4.
    #[arg(long, value_name = "RATE")]
    first_lr: Option<f64>,
    /// The encoder's learning rate in stage 2; by default 5e-5.
    #[arg(long, value_name = "RATE")]
    second_lr: Option<f64>,
    /// The encoder's learning rate on ratings in an ablation; by default 8e-5.
    #[arg(long, value_name = "RATE")]
    third_lr: Option<f64>,
    /// The number of layers that are tuned in each stage, counted from the last; by default 6.
    #[arg(long, value_name = "N")]
    tuned_layers: Option<usize>,
    /// The batch size of stages 1 and 2, in sources; by default 4.
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    /// The number of epochs without a lower loss on the development sources after which stage 1 or 2 ends; by
    /// default 1 and 2.
    #[arg(long, value_name = "N")]
    patience: Option<usize>,
    /// The share of the sources that are development sources, by whose loss the best epoch of a stage is chosen.
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    held_out: f64,
    /// The vector of source and output that the heads see.
    #[arg(long, value_enum, default_value = "mean")]
    pooling: PoolingArg,
}

impl StageArgs {
    /// Applies the arguments to a plan of pre-training.
    pub(super) fn change_plan(&self, plan: &mut PretrainingPlan) {
        for (stage, epochs, rate) in [
            (&mut plan.first, self.first_epochs, self.first_lr),
            (&mut plan.second, self.second_epochs, self.second_lr),
        ] {
            self.change_stage(stage, epochs, rate);
            stage.validation = self.held_out;
            stage.patience = self.patience.unwrap_or(stage.patience);
            stage.sources_a_step = self.batch.map_or(stage.sources_a_step, |batch| [batch; 2]);
        }
    }

    /// Applies the arguments to the plan of a training on ratings.
    pub(super) fn change_third(&self, plan: &mut TuningPlan) {
        self.change_stage(plan, self.third_epochs, self.third_lr);
    }

    /// Whether any argument is set that only concerns the training on ratings.
    pub(super) const fn concerns_ratings(&self) -> bool {
        self.third_epochs.is_some() || self.third_lr.is_some()
    }

    fn change_stage(&self, plan: &mut TuningPlan, epochs: Option<usize>, rate: Option<f64>) {
        plan.tuned_epochs = epochs.unwrap_or(plan.tuned_epochs);
        plan.encoder_lr = rate.unwrap_or(plan.encoder_lr);
        plan.tuned_layers = self.tuned_layers.unwrap_or(plan.tuned_layers);
        if let TuningObjective::Cross { pooling, .. } = &mut plan.objective {
            *pooling = self.pooling.into();
        }
    }
}
