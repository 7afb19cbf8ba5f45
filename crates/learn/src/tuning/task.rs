//! What the two trainers have in common: a head on an encoder, a loss, scores.

use burn::{
    module::Module,
    tensor::{Device, Tensor},
};

use super::network::Bert;

/// What is learned about the sources that a task holds, which are known by their numbers.
pub(super) trait TuningTask: Sync {
    /// What stands on the encoder.
    type Head: Module;

    /// A head with weights drawn by lot.
    fn init_head(&self, device: &Device) -> Self::Head;

    /// How wrong the networks are about the outputs of a source. Without an encoder its vectors are
    /// those that it had in the beginning.
    fn loss(&self, source: usize, networks: TaskNetworks<'_, Self::Head>) -> Tensor<1>;

    /// What the networks make of the outputs of a source.
    fn scores(
        &self,
        source: usize,
        networks: TaskNetworks<'_, Self::Head>,
    ) -> Vec<OutputPrediction>;

    /// How many sources there are.
    fn sources(&self) -> usize;

    /// The mean z-scores of the outputs of a source.
    fn z(&self, source: usize) -> &[f64];

    /// What the networks are given of a source, for a comparison with another program.
    fn describe_batch(&self, source: usize) -> serde_json::Value;

    /// How much of the order is in the score, given what was scored to choose the epoch.
    fn order_share(&self, _: &[OutputPrediction]) -> f64 {
        0.0
    }
}

/// The networks and where they compute.
#[derive(Debug)]
pub(super) struct TaskNetworks<'a, H> {
    /// The encoder; none while it stays as it is.
    pub encoder: Option<&'a Bert>,
    /// What stands on it.
    pub head: &'a H,
    /// Where they are.
    pub device: &'a Device,
}

/// What networks make of an output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OutputPrediction {
    /// The predicted z-score.
    pub quality: f64,
    /// What orders good outputs of one source; 0 where a network has no such part.
    pub order: f64,
}

impl OutputPrediction {
    /// Both together.
    pub(super) fn score(self, order_share: f64) -> f64 {
        self.quality + order_share * self.order
    }
}

/// A tensor's numbers.
pub(super) fn into_values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    let values = tensor.into_data().try_to_vec::<f32>();
    values.expect("networks compute with single precision")
}
