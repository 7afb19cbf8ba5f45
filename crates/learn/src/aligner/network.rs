//! The network that predicts, from a feature grid of two texts, whether each pair of words is
//! linked.

use serde::{Deserialize, Serialize};
use tensor::{Draw, Dropout, DropoutMasks, Grids, Tensor, WeightSpec, Weights};

/// Standardised features are clamped to this on both sides.
pub(super) const CLIP: f32 = 6.0;

/// The share of a block's update that is left out in training.
const DROPOUT: f32 = 0.05;

/// The size of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlignerNetworkSize {
    /// Features of the grid (channels).
    pub features: usize,
    /// Channels of the first map.
    pub entry: usize,
    /// Hidden channels of each pair of words.
    pub hidden: usize,
    /// The number of blocks; each one widens the view by one word around, and sees whole rows and columns.
    pub blocks: usize,
    /// Groups of the convolution over neighbours.
    pub groups: usize,
}

/// Convolutions over a grid of pairs of words. Each residual block adds contributions of a pair's neighbours and of the
/// maxima of its row and its column.
#[derive(Debug, Clone)]
pub(super) struct AlignerNetwork {
    pub(super) weights: Weights,
    size: AlignerNetworkSize,
}

/// The grids that a network looks at.
#[derive(Debug)]
struct GridLayout<'a> {
    grids: Grids,
    /// 1 for a pair of words, 0 for padding.
    inside: &'a [f32],
    /// For each pair of words its row, and its column, among those of all grids.
    row_places: Vec<usize>,
    column_places: Vec<usize>,
}

impl AlignerNetworkSize {
    /// The weights of a network of that size.
    pub(super) fn weights(self) -> Vec<WeightSpec> {
        let Self { entry, hidden, .. } = self;
        let mut all = Vec::new();
        all.extend(pointwise("enter", self.features, entry));
        all.extend(pointwise("narrow", entry, hidden));

        for block in 0..self.blocks {
            let inputs = hidden / self.groups;
            let draw = Draw::for_inputs(inputs * 9);
            let [weight, bias] =
                ["weight", "bias"].map(|part| name_part(block, &format!("around.{part}")));
            all.push(WeightSpec::new(weight, [hidden, inputs, 3, 3], draw));
            all.push(WeightSpec::new(bias, [hidden], draw));
            for part in ["here", "row", "column"] {
                let [weight, _] = pointwise(&name_part(block, part), hidden, hidden);
                all.push(weight);
            }
            all.extend(pointwise(&name_part(block, "add"), hidden, hidden));
        }

        all.extend(pointwise("leave", hidden, 1));
        all
    }
}

fn name_part(block: usize, part: &str) -> String {
    format!("blocks.{block}.{part}")
}

/// A convolution of single cells, with bias.
fn pointwise(name: &str, from: usize, to: usize) -> [WeightSpec; 2] {
    let [mut weight, bias] = WeightSpec::linear(name, from, to, Draw::for_inputs(from));
    weight.shape = vec![to, from, 1, 1];
    [weight, bias]
}

impl AlignerNetwork {
    pub(super) const fn new(weights: Weights, size: AlignerNetworkSize) -> Self {
        Self { weights, size }
    }

    /// The log-odds of a link for each pair of words, `[cells, 1]`.
    ///
    /// - `features`: standardised, `[cells, features]`
    /// - `inside`: 1 for a pair of words, 0 for padding
    pub(super) fn forward(
        &self,
        features: &Tensor,
        inside: &[f32],
        grids: Grids,
        masks: Option<&DropoutMasks>,
    ) -> Tensor {
        let layout = GridLayout {
            grids,
            inside,
            row_places: grids.row_places(),
            column_places: grids.column_places(),
        };

        let entered = self.weights.linear("enter", features).gelu();
        let mut hidden = self.weights.linear("narrow", &entered).scale_rows(inside);
        for block in 0..self.size.blocks {
            hidden = self.forward_block(block, &hidden, &layout, masks);
        }
        self.weights.linear("leave", &hidden)
    }

    fn forward_block(
        &self,
        block: usize,
        known: &Tensor,
        layout: &GridLayout<'_>,
        masks: Option<&DropoutMasks>,
    ) -> Tensor {
        let GridLayout {
            grids,
            row_places,
            column_places,
            ..
        } = layout;
        // Padding is set to 0, so that it does not contribute.
        let rows = known.max_rows(row_places, grids.count * grids.rows);
        let columns = known.max_rows(column_places, grids.count * grids.columns);

        let [weight, bias] =
            ["around.weight", "around.bias"].map(|part| self.weights.own(&name_part(block, part)));
        let around = known.convolution(weight, bias, *grids, self.size.groups);
        let local = &around + &self.map(block, "here", known);
        let context = local
            .add_rows(&self.map(block, "row", &rows), row_places)
            .add_rows(&self.map(block, "column", &columns), column_places);
        let dropout = Dropout {
            share: DROPOUT,
            masks,
        };
        let update = self.map(block, "add", &context.gelu()).dropout(dropout);
        known + &update.scale_rows(layout.inside)
    }

    fn map(&self, block: usize, part: &str, rows: &Tensor) -> Tensor {
        self.weights.linear(&name_part(block, part), rows)
    }
}
