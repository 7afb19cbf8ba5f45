//! A step: the loss of some sources, its gradients, and the update of the weights.

use tensor::{Gradients, Tensor, Weights};

use super::TuningLoop;
use crate::tuning::task::{TaskNetworks, TuningTask};

impl<T: TuningTask> TuningLoop<'_, T> {
    /// Makes one step at `lr_factor` of the peak learning rates, and returns the loss.
    pub(in super::super) fn step(&mut self, sources: &[usize], lr_factor: f64) -> f64 {
        let plan = self.request.plan;
        let loss = self.compute_loss(sources);
        let value = f64::from(loss.scalar());
        let gradients = loss.backward();

        let [for_head, for_encoder] = &mut self.optimisers;
        let head_lr = match self.encoder {
            Some(_) => plan.encoder_lr * plan.head_lr_factor,
            None => plan.head_lr,
        };
        for_head.step(&gradients, &mut self.head, lr_factor * head_lr);
        if let Some(encoder) = &mut self.encoder {
            let learning_rate = lr_factor * plan.encoder_lr;
            for_encoder.step(&gradients, &mut encoder.weights, learning_rate);
        }
        value
    }

    /// The loss of a source, all weights, and the gradients of the trainable ones.
    pub(in super::super) fn compute_gradients(&self, source: usize) -> (f32, Weights, Weights) {
        let loss = self.compute_loss(&[source]);
        let value = loss.scalar();
        let gradients = loss.backward();
        let mut weights = self.head.clone().prefixed("head");
        if let Some(encoder) = &self.encoder {
            weights.extend(encoder.weights.clone().prefixed("encoder"));
        }
        let weight_gradients = select_gradients(&gradients, &weights);
        (value, weights, weight_gradients)
    }

    /// The mean loss of some sources.
    #[expect(clippy::cast_precision_loss, reason = "some sources")]
    fn compute_loss(&self, sources: &[usize]) -> Tensor {
        let losses = sources.iter().map(|source| {
            let networks = TaskNetworks {
                encoder: self.encoder.as_ref(),
                head: &self.head,
                masks: Some(&self.masks),
            };
            self.request.task.loss(*source, networks)
        });
        let sum = losses.reduce(|sum, loss| &sum + &loss);
        &sum.expect("a step has sources") * (1.0 / sources.len() as f32)
    }
}

/// The gradients of weights, by their names.
fn select_gradients(gradients: &Gradients, weights: &Weights) -> Weights {
    let known_gradients = weights.iter().filter_map(|(name, weight)| {
        let gradient = gradients.find(weight)?;
        Some((name.clone(), Tensor::new(weight.shape(), gradient.to_vec())))
    });
    known_gradients.collect()
}
