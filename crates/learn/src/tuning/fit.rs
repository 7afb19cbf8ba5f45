//! The loop that every training is: epochs of steps, each epoch judged on sources held back.

use burn::{
    module::Module as _,
    optim::{AdamWConfig, GradientsParams, ModuleOptimizer},
    tensor::{Bytes, Device, Tensor},
};
use domain::random::Random;

use super::{
    Figures, Plan, TuningError,
    base::Base,
    checkpoint::{Checkpoint, Epoch},
    network::{
        Bert, names,
        names::{Weight, Weights},
    },
    progress::{Progress, Tell},
    task::{Networks, Scored, Task, numbers},
};

/// The number of the head's first parameter; the encoder's begin with 1.
const FIRST_OF_HEAD: u64 = 1 << 32;
/// The share of the steps, frozen or tuned, in which the rate of learning rises.
const RISE: f64 = 0.1;

/// What is trained on what.
pub(super) struct Fitting<'a, T> {
    pub task: &'a T,
    pub base: &'a Base,
    pub plan: &'a Plan,
    /// Numbers of the sources to train on.
    pub training: &'a [usize],
    /// Numbers of the sources to choose the best epoch by.
    pub validation: &'a [usize],
}

/// What was learned, by the names of the networks' own weights: `encoder.…` of the encoder and
/// `head.…` of what stands on it.
pub(super) struct Fitted<H> {
    pub encoder: Option<Bert>,
    pub head: H,
    /// After the best epoch.
    pub epoch: usize,
    pub order_share: f64,
    pub history: Vec<Epoch>,
}

/// A training under way.
pub(super) struct Learner<'a, T: Task> {
    of: &'a Fitting<'a, T>,
    device: Device,
    head: T::Head,
    encoder: Option<Bert>,
    optimisers: [ModuleOptimizer; 2],
    at: Checkpoint,
}

/// Trains until all epochs are done or none was better for a while. After each epoch `keep` gets what
/// is needed to go on from there.
///
/// # Errors
/// The encoder cannot be read, or `tell` or `keep` stopped it.
pub(super) fn fit<T: Task>(
    of: &Fitting<'_, T>,
    begin: Checkpoint,
    tell: &mut Tell<'_>,
    keep: &mut dyn FnMut(&Checkpoint) -> Result<(), TuningError>,
) -> Result<Fitted<T::Head>, TuningError> {
    let mut learner = Learner::new(of, begin)?;
    while let Some(epoch) = learner.next() {
        if epoch == of.plan.frozen_epochs {
            learner.unfreeze()?;
        }
        let ended = learner.epoch(epoch, tell)?;
        keep(&learner.at)?;
        if !tell(ended) {
            return Err(TuningError::Stopped);
        }
    }
    learner.finish()
}

impl<'a, T: Task> Learner<'a, T> {
    /// Begins, or goes on where the checkpoint was written.
    pub(super) fn new(of: &'a Fitting<'a, T>, at: Checkpoint) -> Result<Self, TuningError> {
        let device = Device::flex().autodiff();
        device.seed(of.plan.seed);
        let drawn = of.task.head(&device);
        let drawn = numbered(drawn, &device)?;
        let mut learner = Self {
            of,
            head: drawn,
            device,
            encoder: None,
            optimisers: [optimiser(of.plan), optimiser(of.plan)],
            at,
        };
        if learner.at.state.epoch > 0 {
            learner.go_on()?;
        }
        Ok(learner)
    }

    /// Takes up what the checkpoint holds.
    fn go_on(&mut self) -> Result<(), TuningError> {
        let now = std::mem::take(&mut self.at.now);
        self.head = with(
            self.head.clone(),
            FIRST_OF_HEAD,
            &self.device,
            &part(&now, "head"),
        )?;
        if self.at.state.epoch > self.of.plan.frozen_epochs {
            let changed = part(&now, "encoder");
            self.encoder = Some(names::replace(self.trainable()?, &self.device, &changed));
        }
        self.at.now = now;
        for (optimiser, bytes) in self.optimisers.iter_mut().zip(&self.at.optimisers) {
            if !bytes.is_empty() {
                let bytes = Bytes::from_bytes_vec(bytes.clone());
                *optimiser = self::optimiser(self.of.plan)
                    .from_bytes(bytes)
                    .map_err(|error| {
                        TuningError::Data(format!("the checkpoint is damaged: {error}"))
                    })?;
            }
        }
        Ok(())
    }

    fn trainable(&self) -> Result<Bert, TuningError> {
        let encoder = self.of.base.network(&self.device)?;
        let plan = self.of.plan;
        Ok(encoder.trained(plan.tuned_layers, plan.encoder_dropout))
    }

    /// The next epoch. When the head does not get better, the encoder begins to learn; when that does
    /// not help either, it is over.
    fn next(&mut self) -> Option<usize> {
        let Plan {
            frozen_epochs,
            patience,
            ..
        } = *self.of.plan;
        let state = &mut self.at.state;
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
        (state.epoch < self.of.plan.epochs()).then_some(state.epoch)
    }

    /// The encoder learns from here on, and the head goes on from its best epoch.
    pub(super) fn unfreeze(&mut self) -> Result<(), TuningError> {
        if !self.at.best.is_empty() {
            let best = part(&self.at.best, "head");
            self.head = with(self.head.clone(), FIRST_OF_HEAD, &self.device, &best)?;
        }
        self.encoder = Some(self.trainable()?);
        self.optimisers = [optimiser(self.of.plan), optimiser(self.of.plan)];
        Ok(())
    }

    /// All steps of an epoch; where it stands after them is not told yet.
    fn epoch(&mut self, epoch: usize, tell: &mut Tell<'_>) -> Result<Progress, TuningError> {
        let plan = self.of.plan;
        let tuned = epoch >= plan.frozen_epochs;
        let seed = plan
            .seed
            .wrapping_mul(1_000_003)
            .wrapping_add(epoch as u64 + 1);
        self.device.seed(seed);
        let mut order = self.of.training.to_vec();
        Random::new(seed).shuffle(&mut order);
        let at_once = plan.sources_a_step[usize::from(tuned)];
        let (before, epochs) = if tuned {
            (plan.frozen_epochs, plan.tuned_epochs)
        } else {
            (0, plan.frozen_epochs)
        };
        let steps = order.len().div_ceil(at_once);
        let mut progress = Progress {
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
            let loss = self.step(sources, rate(done, epochs * steps));
            sum += loss;
            progress.step += 1;
            progress.loss = Some(loss);
            if !tell(progress) {
                return Err(TuningError::Stopped);
            }
        }
        let scored = self.scores(self.of.validation);
        let order_share = self.of.task.order_share(&scored.concat());
        let validation = self.figures(&scored, order_share);
        #[expect(clippy::cast_precision_loss, reason = "some thousand steps at most")]
        let loss = sum / steps.max(1) as f64;
        self.at.state.history.push(Epoch {
            epoch,
            tuned,
            loss,
            validation,
        });
        self.judge(epoch, validation, order_share)?;
        (progress.loss, progress.validation) = (Some(loss), Some(validation));
        Ok(progress)
    }

    /// One step with a `share` of the greatest rate of learning. Gives the loss.
    pub(super) fn step(&mut self, sources: &[usize], share: f64) -> f64 {
        let plan = self.of.plan;
        let loss = self.loss(sources);
        let value = f64::from(numbers(loss.clone())[0]);
        let mut gradients = loss.backward();
        let of_head = GradientsParams::from_module(&mut gradients, &self.head);
        let [for_head, for_encoder] = &mut self.optimisers;
        let head_rate = match self.encoder {
            Some(_) => plan.rate * plan.head_factor,
            None => plan.frozen_rate,
        };
        self.head = for_head.step(share * head_rate, self.head.clone(), of_head);
        if let Some(encoder) = self.encoder.take() {
            let of_encoder = GradientsParams::from_module(&mut gradients, &encoder);
            self.encoder = Some(for_encoder.step(share * plan.rate, encoder, of_encoder));
        }
        value
    }

    /// The loss of a source, all weights, and the gradients of those that learn.
    pub(super) fn gradients(&self, source: usize) -> (f32, Weights, Weights) {
        let loss = self.loss(&[source]);
        let value = numbers(loss.clone())[0];
        let mut gradients = loss.backward();
        let of_head = GradientsParams::from_module(&mut gradients, &self.head);
        let mut weights = named("head", names::weights(&self.head, false));
        let mut found = named("head", names::gradients(&self.head, &of_head));
        if let Some(encoder) = &self.encoder {
            let of_encoder = GradientsParams::from_module(&mut gradients, encoder);
            weights.extend(named("encoder", names::weights(encoder, false)));
            found.extend(named("encoder", names::gradients(encoder, &of_encoder)));
        }
        (value, weights, found)
    }

    /// The mean loss of some sources.
    #[expect(clippy::cast_precision_loss, reason = "some sources")]
    fn loss(&self, sources: &[usize]) -> Tensor<1> {
        let losses = sources.iter().map(|source| {
            let networks = Networks {
                encoder: self.encoder.as_ref(),
                head: &self.head,
                device: &self.device,
            };
            self.of.task.loss(*source, networks)
        });
        let sum = losses.reduce(|sum, loss| sum + loss);
        sum.expect("a step has sources") / sources.len() as f32
    }

    fn scores(&self, sources: &[usize]) -> Vec<Vec<Scored>> {
        let encoder = self.encoder.as_ref().map(Bert::valid);
        scores(self.of.task, encoder.as_ref(), &self.head.valid(), sources)
    }

    fn figures(&self, scored: &[Vec<Scored>], order_share: f64) -> Figures {
        let sources = self.of.validation.iter().zip(scored);
        let pairs = sources.map(|(source, scored)| {
            let z = self.of.task.z(*source).iter();
            let scores = scored.iter().map(|one| one.score(order_share));
            scores.zip(z.copied()).collect()
        });
        Figures::of(&pairs.collect::<Vec<_>>())
    }

    /// Notes where the training stands; without sources held back the last epoch is the best.
    fn judge(&mut self, epoch: usize, figures: Figures, share: f64) -> Result<(), TuningError> {
        let figure = figures.choice();
        self.at.now = self.weights();
        self.at.state.epoch = epoch + 1;
        let best = self.at.state.best;
        if figures.outputs == 0 || best.is_none_or(|best| figure > best) {
            self.at.state.best = (figures.outputs > 0).then_some(figure);
            self.at.state.best_epoch = epoch;
            self.at.state.order_share = share;
            self.at.best.clone_from(&self.at.now);
        }
        for (kept, optimiser) in self.at.optimisers.iter_mut().zip(&self.optimisers) {
            let bytes = optimiser.into_bytes();
            let bytes = bytes.map_err(|error| TuningError::Data(error.to_string()))?;
            *kept = bytes.to_vec();
        }
        Ok(())
    }

    fn weights(&self) -> Weights {
        let mut all = named("head", names::weights(&self.head, false));
        if let Some(encoder) = &self.encoder {
            all.extend(named("encoder", names::weights(encoder, true)));
        }
        all
    }

    /// The networks as they were after the best epoch.
    fn finish(mut self) -> Result<Fitted<T::Head>, TuningError> {
        let best = std::mem::take(&mut self.at.best);
        let plain = Device::flex();
        let head = with(
            self.head.valid(),
            FIRST_OF_HEAD,
            &plain,
            &part(&best, "head"),
        )?;
        let changed = part(&best, "encoder");
        let encoder = if changed.is_empty() {
            None
        } else {
            let encoder = self.of.base.network(&plain)?;
            Some(names::replace(encoder, &plain, &changed))
        };
        Ok(Fitted {
            encoder,
            head: head.valid(),
            epoch: self.at.state.best_epoch,
            order_share: self.at.state.order_share,
            history: self.at.state.history,
        })
    }
}

/// What networks make of the outputs of `sources`.
pub(super) fn scores<T: Task>(
    task: &T,
    encoder: Option<&Bert>,
    head: &T::Head,
    sources: &[usize],
) -> Vec<Vec<Scored>> {
    let device = Device::flex();
    let scores = |source: &usize| {
        let networks = Networks {
            encoder,
            head,
            device: &device,
        };
        task.scores(*source, networks)
    };
    sources.iter().map(scores).collect()
}

fn optimiser(plan: &Plan) -> ModuleOptimizer {
    AdamWConfig::new()
        .with_epsilon(1e-8)
        .with_weight_decay(plan.decay)
        .init()
}

/// The head with its parameters numbered, so that optimisers find theirs again.
fn numbered<H: burn::module::Module>(head: H, device: &Device) -> Result<H, TuningError> {
    let drawn = names::weights(&head, false);
    with(head, FIRST_OF_HEAD, device, &drawn)
}

fn with<H: burn::module::Module>(
    network: H,
    first: u64,
    device: &Device,
    weights: &Weights,
) -> Result<H, TuningError> {
    let find = |name: &str| weights.get(name).cloned();
    names::load(network, first, device, &find).map_err(TuningError::Weight)
}

/// The weights of one part, with its name before theirs.
pub(super) fn named(part: &str, weights: Weights) -> Weights {
    let named = weights.into_iter();
    named
        .map(|(name, weight)| (format!("{part}.{name}"), weight))
        .collect()
}

/// The weights of one part, by its own names.
fn part(weights: &Weights, part: &str) -> Weights {
    let own = |(name, weight): (&String, &Weight)| {
        let own = name.strip_prefix(part)?.strip_prefix('.')?;
        Some((own.to_owned(), weight.clone()))
    };
    weights.iter().filter_map(own).collect()
}

/// Rises, then falls in a straight line to almost nothing: a share of the greatest rate.
#[expect(clippy::cast_precision_loss, reason = "some thousand steps at most")]
fn rate(step: usize, steps: usize) -> f64 {
    let at = (step as f64 + 0.5) / steps as f64;
    if at < RISE {
        at / RISE
    } else {
        (1.0 - at) / (1.0 - RISE)
    }
}
