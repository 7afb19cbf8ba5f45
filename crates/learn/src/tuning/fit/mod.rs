//! The training loop: epochs of steps, each epoch evaluated on validation sources.

mod epoch;
mod part_weights;
mod step;

use burn::{
    module::Module as _,
    optim::{AdamWConfig, ModuleOptimizer},
    tensor::{Bytes, Device},
};

pub(super) use self::part_weights::prefix_names;
use self::part_weights::{FIRST_HEAD_PARAMETER, load_parameters, number_parameters, select_part};
use super::{
    TuningError, TuningPlan,
    base_encoder::BaseEncoder,
    checkpoint::{Checkpoint, EpochResult},
    network::{Bert, named_weights},
    progress::TuningCallback,
    task::TuningTask,
};

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

/// The trained networks. In checkpoints weights are named `encoder.…` of the encoder and
/// `head.…` of the head.
pub(super) struct FitResult<H> {
    pub encoder: Option<Bert>,
    pub head: H,
    /// The best epoch, from 0.
    pub epoch: usize,
    pub order_share: f64,
    pub history: Vec<EpochResult>,
}

/// The state of a training.
pub(super) struct TuningLoop<'a, T: TuningTask> {
    request: &'a FitRequest<'a, T>,
    device: Device,
    head: T::Head,
    encoder: Option<Bert>,
    optimisers: [ModuleOptimizer; 2],
    checkpoint: Checkpoint,
}

/// Trains until all epochs are done or the patience is exhausted. After each epoch `keep` receives a
/// checkpoint to resume from.
///
/// # Errors
/// The encoder cannot be read, or `on_progress` or `keep` stopped it.
pub(super) fn fit<T: TuningTask>(
    request: &FitRequest<'_, T>,
    begin: Checkpoint,
    on_progress: &mut TuningCallback<'_>,
    keep: &mut dyn FnMut(&Checkpoint) -> Result<(), TuningError>,
) -> Result<FitResult<T::Head>, TuningError> {
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
        let device = Device::flex().autodiff();
        device.seed(request.plan.seed);
        let head = request.task.init_head(&device);
        let head = number_parameters(head, &device)?;
        let mut training = Self {
            request,
            head,
            device,
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
        let now = std::mem::take(&mut self.checkpoint.current);
        self.head = load_parameters(
            self.head.clone(),
            FIRST_HEAD_PARAMETER,
            &self.device,
            &select_part(&now, "head"),
        )?;
        if self.checkpoint.state.epoch > self.request.plan.frozen_epochs {
            let changed = select_part(&now, "encoder");
            self.encoder = Some(named_weights::replace_weights(
                self.load_trainable_encoder()?,
                &self.device,
                &changed,
            ));
        }
        self.checkpoint.current = now;
        for (optimiser, bytes) in self.optimisers.iter_mut().zip(&self.checkpoint.optimisers) {
            if !bytes.is_empty() {
                let bytes = Bytes::from_bytes_vec(bytes.clone());
                *optimiser = self::build_optimiser(self.request.plan)
                    .from_bytes(bytes)
                    .map_err(|error| {
                        TuningError::Data(format!("the checkpoint is damaged: {error}"))
                    })?;
            }
        }
        Ok(())
    }

    fn load_trainable_encoder(&self) -> Result<Bert, TuningError> {
        let encoder = self.request.base.network(&self.device)?;
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
            let best = select_part(&self.checkpoint.best, "head");
            self.head =
                load_parameters(self.head.clone(), FIRST_HEAD_PARAMETER, &self.device, &best)?;
        }
        self.encoder = Some(self.load_trainable_encoder()?);
        self.optimisers = [
            build_optimiser(self.request.plan),
            build_optimiser(self.request.plan),
        ];
        Ok(())
    }

    /// The networks of the best epoch.
    fn finish(mut self) -> Result<FitResult<T::Head>, TuningError> {
        let best = std::mem::take(&mut self.checkpoint.best);
        let plain = Device::flex();
        let head = load_parameters(
            self.head.valid(),
            FIRST_HEAD_PARAMETER,
            &plain,
            &select_part(&best, "head"),
        )?;
        let changed = select_part(&best, "encoder");
        let encoder = if changed.is_empty() {
            None
        } else {
            let encoder = self.request.base.network(&plain)?;
            Some(named_weights::replace_weights(encoder, &plain, &changed))
        };
        Ok(FitResult {
            encoder,
            head: head.valid(),
            epoch: self.checkpoint.state.best_epoch,
            order_share: self.checkpoint.state.order_share,
            history: self.checkpoint.state.history,
        })
    }
}

fn build_optimiser(plan: &TuningPlan) -> ModuleOptimizer {
    AdamWConfig::new()
        .with_epsilon(1e-8)
        .with_weight_decay(plan.weight_decay)
        .init()
}
