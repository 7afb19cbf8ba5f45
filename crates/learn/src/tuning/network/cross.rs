//! The cross-encoder's head: from source and output, encoded together, to two predictions.

use burn::{
    module::Module,
    nn::{Initializer, Linear, LinearConfig},
    tensor::{Device, Tensor},
};

/// Two linear maps of the mean vector of a text pair's pieces.
#[derive(Module, Debug)]
pub(crate) struct CrossHead {
    /// To the z-score.
    quality: Linear,
    /// To the ranking score among good outputs of one source.
    order: Linear,
}

impl CrossHead {
    /// Random weights for vectors of `width` elements.
    pub(crate) fn new(width: usize, device: &Device) -> Self {
        let map = || {
            LinearConfig::new(width, 1)
                .with_initializer(Initializer::Normal {
                    mean: 0.0,
                    std: 0.02,
                })
                .init(device)
        };
        Self {
            quality: map(),
            order: map(),
        }
    }

    /// Both predictions for each pair, `[pairs]`, from the pairs' vectors `[pairs, width]`.
    pub(crate) fn forward(&self, pairs: Tensor<2>) -> [Tensor<1>; 2] {
        [&self.quality, &self.order].map(|map| map.forward(pairs.clone()).squeeze_dim(1))
    }
}
