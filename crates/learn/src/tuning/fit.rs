//! The training loop: epochs of steps, each epoch evaluated on validation sources.

use burn::{
    module::Module as _,
    optim::{AdamWConfig, GradientsParams, ModuleOptimizer},
    tensor::{Bytes, Device, Tensor},
};
use domain::random::SeededRandom;

use super::{
    TuningAgreement, TuningError, TuningPlan,
    base_encoder::BaseEncoder,
    checkpoint::{Checkpoint, EpochResult},
    network::{
        Bert, named_weights,
        named_weights::{NamedWeights, WeightTensor},
    },
    progress::{TuningCallback, TuningProgress},
    task::{OutputPrediction, TaskNetworks, TuningTask, into_values},
};

/// The number of the head's first parameter; the encoder's begin with 1.
const FIRST_HEAD_PARAMETER: u64 = 1 << 32;
/// The share of the steps, of frozen or tuned epochs, in which the learning rate warms up.
const WARMUP_FRACTION: f64 = 0.1;

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

    /// Runs all steps of an epoch, and evaluates it. Returns the progress at its end, which is not reported yet.
    fn run_epoch(
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
        self.device.seed(seed);
        let mut order = self.request.training.to_vec();
        SeededRandom::new(seed).shuffle(&mut order);
        let at_once = plan.sources_a_step[usize::from(tuned)];
        // Frozen and tuned epochs have a learning rate schedule each.
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
            let done = (epoch - epochs_before) * steps + progress.step;
            let loss = self.step(sources, compute_lr_factor(done, epochs * steps));
            sum += loss;
            progress.step += 1;
            progress.loss = Some(loss);
            if !on_progress(progress) {
                return Err(TuningError::Stopped);
            }
        }
        let predictions = self.score_sources(self.request.validation);
        let order_share = self.request.task.order_share(&predictions.concat());
        let validation = self.compute_agreement(&predictions, order_share);
        #[expect(clippy::cast_precision_loss, reason = "some thousand steps at most")]
        let loss = sum / steps.max(1) as f64;
        self.checkpoint.state.history.push(EpochResult {
            epoch,
            tuned,
            loss,
            validation,
        });
        self.record_epoch(epoch, validation, order_share)?;
        (progress.loss, progress.validation) = (Some(loss), Some(validation));
        Ok(progress)
    }

    /// Makes one step at `lr_factor` of the peak learning rates, and returns the loss.
    pub(super) fn step(&mut self, sources: &[usize], lr_factor: f64) -> f64 {
        let plan = self.request.plan;
        let loss = self.compute_loss(sources);
        let value = f64::from(into_values(loss.clone())[0]);
        let mut gradients = loss.backward();
        let head_gradients = GradientsParams::from_module(&mut gradients, &self.head);
        let [for_head, for_encoder] = &mut self.optimisers;
        let head_lr = match self.encoder {
            Some(_) => plan.encoder_lr * plan.head_lr_factor,
            None => plan.head_lr,
        };
        self.head = for_head.step(lr_factor * head_lr, self.head.clone(), head_gradients);
        if let Some(encoder) = self.encoder.take() {
            let encoder_gradients = GradientsParams::from_module(&mut gradients, &encoder);
            self.encoder =
                Some(for_encoder.step(lr_factor * plan.encoder_lr, encoder, encoder_gradients));
        }
        value
    }

    /// The loss of a source, all weights, and the gradients of the trainable ones.
    pub(super) fn compute_gradients(&self, source: usize) -> (f32, NamedWeights, NamedWeights) {
        let loss = self.compute_loss(&[source]);
        let value = into_values(loss.clone())[0];
        let mut gradients = loss.backward();
        let head_gradients = GradientsParams::from_module(&mut gradients, &self.head);
        let mut weights = prefix_names("head", named_weights::read_weights(&self.head, false));
        let mut all_gradients = prefix_names(
            "head",
            named_weights::read_gradients(&self.head, &head_gradients),
        );
        if let Some(encoder) = &self.encoder {
            let encoder_gradients = GradientsParams::from_module(&mut gradients, encoder);
            weights.extend(prefix_names(
                "encoder",
                named_weights::read_weights(encoder, false),
            ));
            all_gradients.extend(prefix_names(
                "encoder",
                named_weights::read_gradients(encoder, &encoder_gradients),
            ));
        }
        (value, weights, all_gradients)
    }

    /// The mean loss of some sources.
    #[expect(clippy::cast_precision_loss, reason = "some sources")]
    fn compute_loss(&self, sources: &[usize]) -> Tensor<1> {
        let losses = sources.iter().map(|source| {
            let networks = TaskNetworks {
                encoder: self.encoder.as_ref(),
                head: &self.head,
                device: &self.device,
            };
            self.request.task.loss(*source, networks)
        });
        let sum = losses.reduce(|sum, loss| sum + loss);
        sum.expect("a step has sources") / sources.len() as f32
    }

    fn score_sources(&self, sources: &[usize]) -> Vec<Vec<OutputPrediction>> {
        let encoder = self.encoder.as_ref().map(Bert::valid);
        score_sources(
            self.request.task,
            encoder.as_ref(),
            &self.head.valid(),
            sources,
        )
    }

    fn compute_agreement(
        &self,
        scored: &[Vec<OutputPrediction>],
        order_share: f64,
    ) -> TuningAgreement {
        let sources = self.request.validation.iter().zip(scored);
        let pairs = sources.map(|(source, predictions)| {
            let z = self.request.task.z(*source).iter();
            let scores = predictions.iter().map(|one| one.score(order_share));
            scores.zip(z.copied()).collect()
        });
        TuningAgreement::from_scores(&pairs.collect::<Vec<_>>())
    }

    /// Records an epoch in the checkpoint. Without validation sources the last epoch counts as the best.
    fn record_epoch(
        &mut self,
        epoch: usize,
        figures: TuningAgreement,
        share: f64,
    ) -> Result<(), TuningError> {
        let figure = figures.selection_score();
        self.checkpoint.current = self.collect_weights();
        self.checkpoint.state.epoch = epoch + 1;
        let best = self.checkpoint.state.best;
        // Without validation sources every epoch replaces the best one.
        if figures.outputs == 0 || best.is_none_or(|best| figure > best) {
            self.checkpoint.state.best = (figures.outputs > 0).then_some(figure);
            self.checkpoint.state.best_epoch = epoch;
            self.checkpoint.state.order_share = share;
            self.checkpoint.best.clone_from(&self.checkpoint.current);
        }
        for (kept, optimiser) in self.checkpoint.optimisers.iter_mut().zip(&self.optimisers) {
            let bytes = optimiser.into_bytes();
            let bytes = bytes.map_err(|error| TuningError::Data(error.to_string()))?;
            *kept = bytes.to_vec();
        }
        Ok(())
    }

    fn collect_weights(&self) -> NamedWeights {
        let mut all = prefix_names("head", named_weights::read_weights(&self.head, false));
        if let Some(encoder) = &self.encoder {
            all.extend(prefix_names(
                "encoder",
                named_weights::read_weights(encoder, true),
            ));
        }
        all
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

/// The predictions for the outputs of `sources`.
pub(super) fn score_sources<T: TuningTask>(
    task: &T,
    encoder: Option<&Bert>,
    head: &T::Head,
    sources: &[usize],
) -> Vec<Vec<OutputPrediction>> {
    let device = Device::flex();
    let scores = |source: &usize| {
        let networks = TaskNetworks {
            encoder,
            head,
            device: &device,
        };
        task.scores(*source, networks)
    };
    sources.iter().map(scores).collect()
}

fn build_optimiser(plan: &TuningPlan) -> ModuleOptimizer {
    AdamWConfig::new()
        .with_epsilon(1e-8)
        .with_weight_decay(plan.weight_decay)
        .init()
}

/// The head with numbered parameters, so that restored optimisers find theirs.
fn number_parameters<H: burn::module::Module>(head: H, device: &Device) -> Result<H, TuningError> {
    let weights = named_weights::read_weights(&head, false);
    load_parameters(head, FIRST_HEAD_PARAMETER, device, &weights)
}

fn load_parameters<H: burn::module::Module>(
    network: H,
    first: u64,
    device: &Device,
    weights: &NamedWeights,
) -> Result<H, TuningError> {
    let find = |name: &str| weights.get(name).cloned();
    named_weights::load_weights(network, first, device, &find).map_err(TuningError::Weight)
}

/// The weights with the name of their part as a prefix.
pub(super) fn prefix_names(part: &str, weights: NamedWeights) -> NamedWeights {
    let named = weights.into_iter();
    named
        .map(|(name, weight)| (format!("{part}.{name}"), weight))
        .collect()
}

/// The weights of one part, without its prefix.
fn select_part(weights: &NamedWeights, part: &str) -> NamedWeights {
    let own = |(name, weight): (&String, &WeightTensor)| {
        let own = name.strip_prefix(part)?.strip_prefix('.')?;
        Some((own.to_owned(), weight.clone()))
    };
    weights.iter().filter_map(own).collect()
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
