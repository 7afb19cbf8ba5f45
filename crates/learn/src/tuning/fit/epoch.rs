//! An epoch: its steps, then its evaluation on validation sources.

use domain::random::SeededRandom;
use tensor::{DropoutMasks, Weights};

use super::{PARTS, TuningLoop};
use crate::tuning::{
    TuningError,
    checkpoint::EpochResult,
    network::Bert,
    progress::{TuningCallback, TuningProgress},
    task::{TaskNetworks, TuningTask, ValidationResult},
};

/// The share of the steps of frozen, or of tuned, epochs in which the learning rate warms up.
const WARMUP_FRACTION: f64 = 0.1;

impl<T: TuningTask> TuningLoop<'_, T> {
    /// Runs all steps of an epoch, and evaluates it. Returns the progress at its end, which the caller reports.
    pub(super) fn run_epoch(
        &mut self,
        epoch: usize,
        on_progress: &mut TuningCallback<'_>,
    ) -> Result<TuningProgress, TuningError> {
        let plan = self.request.plan;
        let tuned = epoch >= plan.frozen_epochs;

        // A seed for each epoch: a training that resumes at it draws the same dropout and order.
        let seed = plan
            .seed
            .wrapping_mul(1_000_003)
            .wrapping_add(epoch as u64 + 1);
        self.masks = DropoutMasks::new(seed);
        let mut order = self.request.training.to_vec();
        SeededRandom::new(seed).shuffle(&mut order);
        let at_once = plan.sources_a_step[usize::from(tuned)];

        // Frozen and tuned epochs each have their own learning rate schedule.
        let (epochs_before, epochs) = if tuned {
            (plan.frozen_epochs, plan.tuned_epochs)
        } else {
            (0, plan.frozen_epochs)
        };

        let steps = order.len().div_ceil(at_once);
        let mut progress = TuningProgress {
            epoch,
            epochs: plan.epochs(),
            step: 0,
            steps,
            tuned,
            loss: None,
            validation: None,
        };

        let mut sum = 0.0;
        for sources in order.chunks(at_once) {
            let steps_before = (epoch - epochs_before) * steps + progress.step;
            let loss = self.step(sources, compute_lr_factor(steps_before, epochs * steps));
            if !loss.is_finite() {
                return Err(TuningError::Diverged);
            }
            sum += loss;
            progress.step += 1;
            progress.loss = Some(loss);
            if !on_progress(progress) {
                return Err(TuningError::Stopped);
            }
        }

        let validation = self.validate();
        #[expect(clippy::cast_precision_loss, reason = "some thousand steps at most")]
        let loss = sum / steps.max(1) as f64;

        self.checkpoint.state.history.push(EpochResult {
            epoch,
            tuned,
            loss,
            validation_loss: validation.loss,
            validation: validation.agreement,
        });

        self.record_epoch(epoch, validation)?;
        (progress.loss, progress.validation) = (Some(loss), Some(validation.agreement));
        Ok(progress)
    }

    fn validate(&self) -> ValidationResult {
        let encoder = self.encoder.clone().map(Bert::frozen);
        let head = self.head.clone().untracked();
        let networks = TaskNetworks {
            encoder: encoder.as_ref(),
            head: &head,
            masks: None,
        };
        self.request
            .task
            .validate(self.request.validation, networks)
    }

    /// Records an epoch in the checkpoint. Without validation sources the last epoch counts as the best.
    fn record_epoch(
        &mut self,
        epoch: usize,
        validation: ValidationResult,
    ) -> Result<(), TuningError> {
        self.checkpoint.current = self.collect_weights();
        self.checkpoint.state.epoch = epoch + 1;

        let best = self.checkpoint.state.best;
        // Without validation sources every epoch replaces the best one.
        let figure = validation.selection;
        if figure.is_none_or(|figure| best.is_none_or(|best| figure > best)) {
            self.checkpoint.state.best = figure;
            self.checkpoint.state.best_epoch = epoch;
            self.checkpoint.state.order_share = validation.order_share;
            self.checkpoint.best.clone_from(&self.checkpoint.current);
        }

        let parts = PARTS.into_iter().zip(&self.optimisers);
        let memory = parts.flat_map(|(part, optimiser)| optimiser.memory().prefixed(part));
        self.checkpoint.optimisers = memory.collect();
        Ok(())
    }

    /// The head's weights and those of the encoder that are trained.
    fn collect_weights(&self) -> Weights {
        let mut all = self.head.clone().prefixed("head");
        if let Some(encoder) = &self.encoder {
            let trained_weights = encoder
                .weights
                .iter()
                .filter(|(_, weight)| weight.is_tracked())
                .map(|(name, weight)| (name.clone(), weight.clone()));
            all.extend(trained_weights.collect::<Weights>().prefixed("encoder"));
        }
        all.untracked()
    }
}

/// The factor on the peak learning rate: linear warm-up, then linear decay to almost 0.
#[expect(clippy::cast_precision_loss, reason = "some thousand steps at most")]
fn compute_lr_factor(step: usize, steps: usize) -> f64 {
    let at = (step as f64 + 0.5) / steps as f64;
    if at < WARMUP_FRACTION {
        at / WARMUP_FRACTION
    } else {
        (1.0 - at) / (1.0 - WARMUP_FRACTION)
    }
}
