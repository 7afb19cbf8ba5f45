//! A step: the loss of some sources, its gradients, and the weights after it.

use burn::{optim::GradientsParams, tensor::Tensor};

use super::{TuningLoop, part_weights::prefix_names};
use crate::tuning::{
    network::{named_weights, named_weights::NamedWeights},
    task::{TaskNetworks, TuningTask, into_values},
};

impl<T: TuningTask> TuningLoop<'_, T> {
    /// Makes one step at `lr_factor` of the peak learning rates, and returns the loss.
    pub(in super::super) fn step(&mut self, sources: &[usize], lr_factor: f64) -> f64 {
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
    pub(in super::super) fn compute_gradients(
        &self,
        source: usize,
    ) -> (f32, NamedWeights, NamedWeights) {
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
}
