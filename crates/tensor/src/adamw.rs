//! The optimiser.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::{
    matrix::CHUNK_LENGTH,
    tensor::{Gradients, Tensor},
    weights::Weights,
};

/// The decay rates of the two moments, β₁ and β₂.
const KEPT: [f64; 2] = [0.9, 0.999];

/// Adam with weight decay (Loshchilov & Hutter 2019, “Decoupled Weight Decay Regularization”, algorithm 2).
#[derive(Debug, Clone)]
pub struct AdamW {
    epsilon: f32,
    decay: f64,
    moments: BTreeMap<String, Moments>,
}

/// The running moments of one weight.
#[derive(Debug, Clone)]
struct Moments {
    /// The running means of gradients and of their squares.
    means: [Tensor; 2],
    /// The steps made, capped at `u16::MAX`: by then the bias correction is 1.
    steps: u16,
}

impl AdamW {
    /// An optimiser that has made no step yet. `epsilon` is added to the denominator.
    #[must_use]
    pub const fn new(epsilon: f32, decay: f64) -> Self {
        Self {
            epsilon,
            decay,
            moments: BTreeMap::new(),
        }
    }

    /// Updates every weight that has a gradient.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "networks compute with single precision"
    )]
    pub fn step(&mut self, gradients: &Gradients, weights: &mut Weights, learning_rate: f64) {
        let shrink = (1.0 - learning_rate * self.decay) as f32;
        for (name, weight) in weights.iter_mut() {
            let Some(gradient) = gradients.find(weight) else {
                continue;
            };

            let moments = self.moments.entry(name.clone());
            let moments = moments.or_insert_with(|| Moments::new(weight.shape()));
            moments.steps = moments.steps.saturating_add(1);

            // Bias correction: means that start at 0 are too small at first.
            let [first, second] = KEPT.map(|kept| 1.0 - kept.powi(moments.steps.into()));
            let rate = (learning_rate / first) as f32;
            let correction = (1.0 / second.sqrt()) as f32;

            moments.update(weight, gradient, shrink, |mean, square| {
                rate * mean / (square.sqrt() * correction + self.epsilon)
            });
        }
    }

    /// The optimiser's state, to resume from: two running means and the number of steps for each weight.
    #[must_use]
    pub fn memory(&self) -> Weights {
        let memory = self.moments.iter().flat_map(|(name, moments)| {
            let [first, second] = moments.means.clone();
            let steps = Tensor::new([1], vec![f32::from(moments.steps)]);
            [("first", first), ("second", second), ("steps", steps)]
                .map(|(part, tensor)| (format!("{part}.{name}"), tensor))
        });
        memory.collect()
    }

    /// Resumes from the state that [`Self::memory`] returned.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of steps"
    )]
    pub fn with_memory(mut self, memory: &Weights) -> Self {
        let [first, second, steps] = ["first", "second", "steps"].map(|part| memory.part(part));
        for (name, first) in first {
            let steps = steps.get(&name).and_then(|steps| steps.values().first());
            if let (Some(second), Some(steps)) = (second.get(&name), steps) {
                let moments = Moments {
                    means: [first, second.clone()],
                    steps: *steps as u16,
                };
                self.moments.insert(name, moments);
            }
        }
        self
    }
}

impl Moments {
    fn new(shape: &[usize]) -> Self {
        let zero = Tensor::new(shape, vec![0.0; shape.iter().product()]);
        Self {
            means: [zero.clone(), zero],
            steps: 0,
        }
    }

    /// Multiplies each number by `shrink`, then subtracts `step` of its updated running means.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "networks compute with single precision"
    )]
    fn update(
        &mut self,
        weight: &mut Tensor,
        gradient: &[f32],
        shrink: f32,
        step: impl Fn(f32, f32) -> f32 + Sync,
    ) {
        let betas = KEPT.map(|beta| beta as f32);
        let [first, second] = &mut self.means;
        let chunks = weight.values_mut().par_chunks_mut(CHUNK_LENGTH);
        let means = first.values_mut().par_chunks_mut(CHUNK_LENGTH);
        let squares = second.values_mut().par_chunks_mut(CHUNK_LENGTH);

        let all = chunks
            .zip(means)
            .zip(squares)
            .zip(gradient.par_chunks(CHUNK_LENGTH));
        all.for_each(|(((weights, means), squares), gradients)| {
            let moments = means.iter_mut().zip(squares);
            for ((weight, gradient), (mean, square)) in
                weights.iter_mut().zip(gradients).zip(moments)
            {
                *mean = betas[0] * *mean + (1.0 - betas[0]) * gradient;
                *square = betas[1] * *square + (1.0 - betas[1]) * gradient * gradient;
                *weight = shrink * *weight - step(*mean, *square);
            }
        });
    }
}
