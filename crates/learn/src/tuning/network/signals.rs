//! The head of pre-training: from source and output, encoded together, to synthetic signals.

use burn::{
    module::Module,
    nn::{Initializer, Linear, LinearConfig},
    tensor::{Device, Tensor},
};

/// A linear map to each signal, of the vector of a text pair.
#[derive(Module, Debug)]
pub(crate) struct SignalHead {
    signals: Linear,
}

impl SignalHead {
    /// Random weights for vectors of `width` elements.
    pub(crate) fn new(width: usize, signals: usize, device: &Device) -> Self {
        let map = LinearConfig::new(width, signals).with_initializer(Initializer::Normal {
            mean: 0.0,
            std: 0.02,
        });
        Self {
            signals: map.init(device),
        }
    }

    /// The signals of each pair, `[pairs, signals]`, from the pairs' vectors `[pairs, width]`.
    pub(crate) fn forward(&self, pairs: Tensor<2>) -> Tensor<2> {
        self.signals.forward(pairs)
    }
}
