//! The loop that every training is: epochs of steps, each epoch judged on sources held back.

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
/// The share of the steps, frozen or tuned, in which the rate of learning rises.
const WARMUP_FRACTION: f64 = 0.1;

/// What is trained on what.
pub(super) struct FitRequest<'a, T> {
    pub task: &'a T,
    pub base: &'a BaseEncoder,
    pub plan: &'a TuningPlan,
    /// Numbers of the sources to train on.
    pub training: &'a [usize],
    /// Numbers of the sources to choose the best epoch by.
    pub validation: &'a [usize],
}

/// What was learned, by the names of the networks' own weights: `encoder.…` of the encoder and
/// `head.…` of what stands on it.
pub(super) struct FitResult<H> {
    pub encoder: Option<Bert>,
    pub head: H,
    /// After the best epoch.
    pub epoch: usize,
    pub order_share: f64,
    pub history: Vec<EpochResult>,
}

/// A training under way.
pub(super) struct TuningLoop<'a, T: TuningTask> {
    request: &'a FitRequest<'a, T>,
    device: Device,
    head: T::Head,
    encoder: Option<Bert>,
    optimisers: [ModuleOptimizer; 2],
    checkpoint: Checkpoint,
}

/// Trains until all epochs are done or none was better for a while. After each epoch `keep` gets what
/// is needed to go on from there.
///
/// # Errors
/// The encoder cannot be read, or `tell` or `keep` stopped it.
pub(super) fn fit<T: TuningTask>(
    of: &FitRequest<'_, T>,
    begin: Checkpoint,
    tell: &mut TuningCallback<'_>,
    keep: &mut dyn FnMut(&Checkpoint) -> Result<(), TuningError>,
) -> Result<FitResult<T::Head>, TuningError> {
    let mut learner = TuningLoop::new(of, begin)?;
    while let Some(epoch) = learner.next_epoch() {
        if epoch == of.plan.frozen_epochs {
            learner.unfreeze()?;
        }
        let ended = learner.run_epoch(epoch, tell)?;
        keep(&learner.checkpoint)?;
        if !tell(ended) {
            return Err(TuningError::Stopped);
        }
    }
    learner.finish()
}

impl<'a, T: TuningTask> TuningLoop<'a, T> {
    /// Begins, or goes on where the checkpoint was written.
    pub(super) fn new(of: &'a FitRequest<'a, T>, at: Checkpoint) -> Result<Self, TuningError> {
        let device = Device::flex().autodiff();
        device.seed(of.plan.seed);
        let drawn = of.task.init_head(&device);
        let drawn = number_parameters(drawn, &device)?;
        let mut learner = Self {
            request: of,
            head: drawn,
            device,
            encoder: None,
            optimisers: [build_optimiser(of.plan), build_optimiser(of.plan)],
            checkpoint: at,
        };
        if learner.checkpoint.state.epoch > 0 {
            learner.resume()?;
        }
        Ok(learner)
    }

    /// Takes up what the checkpoint holds.
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

    /// The next epoch. When the head does not get better, the encoder begins to learn; when that does
    /// not help either, it is over.
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

    /// The encoder learns from here on, and the head goes on from its best epoch.
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

    /// All steps of an epoch; where it stands after them is not told yet.
    fn run_epoch(
        &mut self,
        epoch: usize,
        tell: &mut TuningCallback<'_>,
    ) -> Result<TuningProgress, TuningError> {
        let plan = self.request.plan;
        let tuned = epoch >= plan.frozen_epochs;
        let seed = plan
            .seed
            .wrapping_mul(1_000_003)
            .wrapping_add(epoch as u64 + 1);
        self.device.seed(seed);
        let mut order = self.request.training.to_vec();
        SeededRandom::new(seed).shuffle(&mut order);
        let at_once = plan.sources_a_step[usize::from(tuned)];
        let (before, epochs) = if tuned {
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
            let done = (epoch - before) * steps + progress.step;
            let loss = self.step(sources, compute_lr_factor(done, epochs * steps));
            sum += loss;
            progress.step += 1;
            progress.loss = Some(loss);
            if !tell(progress) {
                return Err(TuningError::Stopped);
            }
        }
        let scored = self.score_sources(self.request.validation);
        let order_share = self.request.task.order_share(&scored.concat());
        let validation = self.compute_agreement(&scored, order_share);
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

    /// One step with a `share` of the greatest rate of learning. Gives the loss.
    pub(super) fn step(&mut self, sources: &[usize], share: f64) -> f64 {
        let plan = self.request.plan;
        let loss = self.compute_loss(sources);
        let value = f64::from(into_values(loss.clone())[0]);
        let mut gradients = loss.backward();
        let of_head = GradientsParams::from_module(&mut gradients, &self.head);
        let [for_head, for_encoder] = &mut self.optimisers;
        let head_rate = match self.encoder {
            Some(_) => plan.encoder_lr * plan.head_lr_factor,
            None => plan.head_lr,
        };
        self.head = for_head.step(share * head_rate, self.head.clone(), of_head);
        if let Some(encoder) = self.encoder.take() {
            let of_encoder = GradientsParams::from_module(&mut gradients, &encoder);
            self.encoder = Some(for_encoder.step(share * plan.encoder_lr, encoder, of_encoder));
        }
        value
    }

    /// The loss of a source, all weights, and the gradients of those that learn.
    pub(super) fn compute_gradients(&self, source: usize) -> (f32, NamedWeights, NamedWeights) {
        let loss = self.compute_loss(&[source]);
        let value = into_values(loss.clone())[0];
        let mut gradients = loss.backward();
        let of_head = GradientsParams::from_module(&mut gradients, &self.head);
        let mut weights = prefix_names("head", named_weights::read_weights(&self.head, false));
        let mut found = prefix_names("head", named_weights::read_gradients(&self.head, &of_head));
        if let Some(encoder) = &self.encoder {
            let of_encoder = GradientsParams::from_module(&mut gradients, encoder);
            weights.extend(prefix_names(
                "encoder",
                named_weights::read_weights(encoder, false),
            ));
            found.extend(prefix_names(
                "encoder",
                named_weights::read_gradients(encoder, &of_encoder),
            ));
        }
        (value, weights, found)
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
        let pairs = sources.map(|(source, scored)| {
            let z = self.request.task.z(*source).iter();
            let scores = scored.iter().map(|one| one.score(order_share));
            scores.zip(z.copied()).collect()
        });
        TuningAgreement::from_scores(&pairs.collect::<Vec<_>>())
    }

    /// Notes where the training stands; without sources held back the last epoch is the best.
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

    /// The networks as they were after the best epoch.
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

/// What networks make of the outputs of `sources`.
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

/// The head with its parameters numbered, so that optimisers find theirs again.
fn number_parameters<H: burn::module::Module>(head: H, device: &Device) -> Result<H, TuningError> {
    let drawn = named_weights::read_weights(&head, false);
    load_parameters(head, FIRST_HEAD_PARAMETER, device, &drawn)
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

/// The weights of one part, with its name before theirs.
pub(super) fn prefix_names(part: &str, weights: NamedWeights) -> NamedWeights {
    let named = weights.into_iter();
    named
        .map(|(name, weight)| (format!("{part}.{name}"), weight))
        .collect()
}

/// The weights of one part, by its own names.
fn select_part(weights: &NamedWeights, part: &str) -> NamedWeights {
    let own = |(name, weight): (&String, &WeightTensor)| {
        let own = name.strip_prefix(part)?.strip_prefix('.')?;
        Some((own.to_owned(), weight.clone()))
    };
    weights.iter().filter_map(own).collect()
}

/// Rises, then falls in a straight line to almost nothing: a share of the greatest rate.
#[expect(clippy::cast_precision_loss, reason = "some thousand steps at most")]
fn compute_lr_factor(step: usize, steps: usize) -> f64 {
    let at = (step as f64 + 0.5) / steps as f64;
    if at < WARMUP_FRACTION {
        at / WARMUP_FRACTION
    } else {
        (1.0 - at) / (1.0 - WARMUP_FRACTION)
    }
}
