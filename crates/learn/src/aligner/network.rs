//! The network that predicts, from a feature grid of two texts, whether each pair of words is
//! linked.

use burn::{
    module::Module,
    nn::{
        Dropout, DropoutConfig, PaddingConfig2d,
        conv::{Conv2d, Conv2dConfig},
    },
    tensor::{Device, Tensor, activation::gelu},
};
use serde::{Deserialize, Serialize};

/// Standardised features are clamped to this on both sides.
pub(super) const CLIP: f32 = 6.0;

/// The size of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlignerNetworkSize {
    /// Features of the grid (channels).
    pub features: usize,
    /// Channels of the first map.
    pub entry: usize,
    /// Hidden channels of each pair of words.
    pub hidden: usize,
    /// The number of blocks; each sees one word further around, and whole rows and
    /// columns.
    pub blocks: usize,
    /// Groups of the convolution over neighbours.
    pub groups: usize,
}

/// Convolutions over a grid of pairs of words. Each residual block adds what a pair's
/// neighbours, and the maxima of its row and its column, contribute.
#[derive(Module, Debug)]
pub(super) struct AlignerNetwork {
    pub(super) enter: Conv2d,
    pub(super) narrow: Conv2d,
    pub(super) blocks: Vec<AlignerBlock>,
    pub(super) leave: Conv2d,
}

#[derive(Module, Debug)]
pub(super) struct AlignerBlock {
    pub(super) around: Conv2d,
    pub(super) here: Conv2d,
    pub(super) row: Conv2d,
    pub(super) column: Conv2d,
    pub(super) add: Conv2d,
    dropout: Dropout,
}

impl AlignerNetwork {
    pub(super) fn new(size: AlignerNetworkSize, device: &Device) -> Self {
        let AlignerNetworkSize { entry, hidden, .. } = size;
        let block = || AlignerBlock {
            around: Conv2dConfig::new([hidden, hidden], [3, 3])
                .with_groups(size.groups)
                .with_padding(PaddingConfig2d::Same)
                .init(device),
            here: pointwise_conv(hidden, hidden, false, device),
            row: pointwise_conv(hidden, hidden, false, device),
            column: pointwise_conv(hidden, hidden, false, device),
            add: pointwise_conv(hidden, hidden, true, device),
            dropout: DropoutConfig::new(0.05).init(),
        };
        Self {
            enter: pointwise_conv(size.features, entry, true, device),
            narrow: pointwise_conv(entry, hidden, true, device),
            blocks: (0..size.blocks).map(|_| block()).collect(),
            leave: pointwise_conv(hidden, 1, true, device),
        }
    }

    /// The log-odds of a link.
    ///
    /// - `grids`: standardised, `[pairs of texts, features, rows, columns]`
    /// - `inside`: 1 where a pair of words is, 0 for padding, `[pairs of texts, 1, rows, columns]`
    /// - output: `[pairs of texts, 1, rows, columns]`
    pub(super) fn forward(&self, grids: Tensor<4>, inside: &Tensor<4>) -> Tensor<4> {
        let entered = gelu(self.enter.forward(grids));
        let mut hidden = self.narrow.forward(entered) * inside.clone();
        for block in &self.blocks {
            hidden = block.forward(hidden, inside);
        }
        self.leave.forward(hidden)
    }
}

impl AlignerBlock {
    fn forward(&self, known: Tensor<4>, inside: &Tensor<4>) -> Tensor<4> {
        // Padding is set to 0, so that it does not contribute.
        let row = self.row.forward(known.clone().max_dim(3));
        let column = self.column.forward(known.clone().max_dim(2));
        let local = self.around.forward(known.clone()) + self.here.forward(known.clone());
        let update = self.add.forward(gelu(local + row + column));
        known + self.dropout.forward(update) * inside.clone()
    }
}

fn pointwise_conv(from: usize, to: usize, bias: bool, device: &Device) -> Conv2d {
    Conv2dConfig::new([from, to], [1, 1])
        .with_bias(bias)
        .init(device)
}
