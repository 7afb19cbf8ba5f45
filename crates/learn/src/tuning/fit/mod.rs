//! The training loop: epochs of steps, each epoch evaluated on validation sources.

mod epoch;
mod step;

use tensor::{AdamW, DropoutMasks, Random, Weights};

use super::{
    TuningError, TuningPlan,
    base_encoder::BaseEncoder,
    checkpoint::{Checkpoint, EpochResult},
    network::Bert,
    progress::TuningCallback,
    task::TuningTask,
};

/// The two trained parts, in the order of the optimisers and by their names in checkpoints.
const PARTS: [&str; 2] = ["head", "encoder"];

/// A task with its training and validation sources.
pub(super) struct FitRequest<'a, T> {
    pub task: &'a T,
    pub base: &'a BaseEncoder,
    pub plan: &'a TuningPlan,
    /// Indices of the training sources.
    pub training: &'a [usize],
    /// Indices of the validation sources, by which the best epoch is chosen.
    pub validation: &'a [usize],
}

/// The trained networks. In checkpoints, the encoder's weights are named `encoder.…` and the head's `head.…`.
pub(super) struct FitResult {
    pub encoder: Option<Bert>,
    pub head: Weights,
    /// The best epoch, from 0.
    pub epoch: usize,
    pub order_share: f64,
    pub history: Vec<EpochResult>,
}

impl FitResult {
    /// All weights by their names in a file, those of the head after `head_name`.
    pub(super) fn into_weights(self, head_name: &str) -> Weights {
        let mut all = self.head.prefixed(head_name);
        all.extend(self.encoder.into_iter().flat_map(|encoder| encoder.weights));
        all
    }
}

/// The state of a training.
pub(super) struct TuningLoop<'a, T: TuningTask> {
    request: &'a FitRequest<'a, T>,
    /// The dropout masks of the current epoch.
    masks: DropoutMasks,
    head: Weights,
    encoder: Option<Bert>,
    optimisers: [AdamW; 2],
    checkpoint: Checkpoint,
}

/// Trains until all epochs are done or the patience is exhausted. After each epoch `keep` receives a
/// checkpoint to resume from.
///
/// # Errors
/// The encoder cannot be read, `keep` fails, or `on_progress` stopped the training.
pub(super) fn fit<T: TuningTask>(
    request: &FitRequest<'_, T>,
    begin: Checkpoint,
    on_progress: &mut TuningCallback<'_>,
    keep: &mut dyn FnMut(&Checkpoint) -> Result<(), TuningError>,
) -> Result<FitResult, TuningError> {
    let mut training = TuningLoop::new(request, begin)?;
    while let Some(epoch) = training.next_epoch() {
        if epoch == request.plan.frozen_epochs {
            training.unfreeze()?;
        }
        let ended = training.run_epoch(epoch, on_progress)?;
        keep(&training.checkpoint)?;
        if !on_progress(ended) {
            return Err(TuningError::Stopped);
        }
    }
    training.finish()
}

impl<'a, T: TuningTask> TuningLoop<'a, T> {
    /// Starts a training, or resumes the one of the checkpoint.
    pub(super) fn new(request: &'a FitRequest<'a, T>, at: Checkpoint) -> Result<Self, TuningError> {
        let seed = request.plan.seed;
        let head = Weights::draw(request.task.head_weights(), &mut Random::new(seed));
        let mut training = Self {
            request,
            head: head.tracked(|_| true),
            masks: DropoutMasks::new(seed),
            encoder: None,
            optimisers: [build_optimiser(request.plan), build_optimiser(request.plan)],
            checkpoint: at,
        };
        if training.checkpoint.state.epoch > 0 {
            training.resume()?;
        }
        Ok(training)
    }

    /// Restores networks and optimisers from the checkpoint.
    fn resume(&mut self) -> Result<(), TuningError> {
        self.load_head(&self.checkpoint.current.part("head"))?;
        if self.checkpoint.state.epoch > self.request.plan.frozen_epochs {
            let mut encoder = self.load_trainable_encoder()?;
            let changed = self.checkpoint.current.part("encoder");
            encoder.weights.replace(&changed);
            self.encoder = Some(encoder);
        }
        let memory = &self.checkpoint.optimisers;
        self.optimisers = PARTS.map(|part| {
            let optimiser = build_optimiser(self.request.plan);
            optimiser.with_memory(&memory.part(part))
        });
        Ok(())
    }

    /// Replaces the weights of the head.
    fn load_head(&mut self, weights: &Weights) -> Result<(), TuningError> {
        let specs = self.request.task.head_weights();
        let head = Weights::find(specs, |name| weights.get(name).cloned());
        self.head = head.map_err(TuningError::Weight)?.tracked(|_| true);
        Ok(())
    }

    fn load_trainable_encoder(&self) -> Result<Bert, TuningError> {
        let encoder = self.request.base.network()?;
        let plan = self.request.plan;
        Ok(encoder.prepare_training(plan.tuned_layers, plan.encoder_dropout))
    }

    /// The next epoch, if any. When frozen epochs exhaust the patience, the tuned ones follow; when those
    /// do, training ends.
    fn next_epoch(&mut self) -> Option<usize> {
        let TuningPlan {
            frozen_epochs,
            patience,
            ..
        } = *self.request.plan;

        let state = &mut self.checkpoint.state;
        let begin = if state.epoch >= frozen_epochs {
            frozen_epochs
        } else {
            0
        };

        let since = state.epoch.saturating_sub(begin.max(state.best_epoch + 1));
        if state.best.is_some() && since >= patience {
            if state.epoch >= frozen_epochs {
                return None;
            }
            state.epoch = frozen_epochs;
        }
        (state.epoch < self.request.plan.epochs()).then_some(state.epoch)
    }

    /// Unfreezes the encoder's last layers, and restores the head of the best frozen epoch.
    pub(super) fn unfreeze(&mut self) -> Result<(), TuningError> {
        if !self.checkpoint.best.is_empty() {
            self.load_head(&self.checkpoint.best.part("head"))?;
        }
        self.encoder = Some(self.load_trainable_encoder()?);
        self.optimisers = [
            build_optimiser(self.request.plan),
            build_optimiser(self.request.plan),
        ];
        Ok(())
    }

    /// The networks of the best epoch.
    fn finish(mut self) -> Result<FitResult, TuningError> {
        let best = std::mem::take(&mut self.checkpoint.best);
        self.load_head(&best.part("head"))?;
        let changed = best.part("encoder");
        let encoder = if changed.is_empty() {
            None
        } else {
            let mut encoder = self.request.base.network()?;
            encoder.weights.replace(&changed);
            Some(encoder)
        };
        Ok(FitResult {
            encoder,
            head: self.head.untracked(),
            epoch: self.checkpoint.state.best_epoch,
            order_share: self.checkpoint.state.order_share,
            history: self.checkpoint.state.history,
        })
    }
}

fn build_optimiser(plan: &TuningPlan) -> AdamW {
    AdamW::new(1e-8, plan.weight_decay.into())
}
