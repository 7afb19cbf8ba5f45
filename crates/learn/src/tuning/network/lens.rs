//! The LENS head: from embeddings of source, output and reference to a z-score.
//!
//! Maddela et al. 2023, “LENS: A Learnable Evaluation Metric for Text Simplification”, section 4.

use burn::{
    module::{Module, Param},
    nn::{Dropout, DropoutConfig, Initializer, Linear, LinearConfig},
    tensor::{
        Device, Tensor,
        activation::{softmax, tanh},
    },
};
use serde::{Deserialize, Serialize};

/// The feature blocks of the regressor; c is the source's embedding, s the output's, r the
/// reference's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeatureBlocks {
    /// \[c; s; r; s⊙r; |s−r|; s⊙c; |s−c|\], as the released program has them.
    #[default]
    Seven,
    /// \[s; r; s⊙r; |s−r|; s⊙c; |s−c|\], as the paper prints them.
    Six,
}

impl FeatureBlocks {
    /// The number of blocks that depend on the output and its source alone.
    pub(crate) const fn output_blocks(self) -> usize {
        match self {
            Self::Seven => 4,
            Self::Six => 3,
        }
    }
}

/// The layers' mix and the regressor.
#[derive(Module, Debug)]
pub(crate) struct LensNetwork {
    pub(crate) mix: LayerMix,
    head: LensRegressor,
}

/// A weighted mean of the encoder's layers, times a scalar.
#[derive(Module, Debug)]
pub(crate) struct LayerMix {
    /// The logits of the layers' weights, `[layers]`.
    weights: Param<Tensor<1>>,
    /// `[1]`
    scale: Param<Tensor<1>>,
}

/// A feed-forward network over the blocks. Its first map is kept in three parts, of which only the
/// last is computed for every pair of output and reference.
#[derive(Module, Debug)]
struct LensRegressor {
    /// The part of output and source.
    output: Linear,
    /// The part of r, without bias.
    reference: Linear,
    /// The part of \[s⊙r; |s−r|\], without bias.
    pair: Linear,
    hidden: Linear,
    last: Linear,
    dropout: Dropout,
}

/// The sizes of a [`LensNetwork`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct LensSize {
    /// Layers of the encoder, embeddings included.
    pub layers: usize,
    /// Elements of an embedding.
    pub width: usize,
    /// Units of the regressor's first and second layer.
    pub hidden: [usize; 2],
    /// The blocks that it sees.
    pub features: FeatureBlocks,
}

impl LensNetwork {
    /// Random weights, and an even mix of layers.
    pub(crate) fn new(size: LensSize, dropout: f64, device: &Device) -> Self {
        let LensSize { layers, width, .. } = size;
        let [first, second] = size.hidden;
        let blocks = size.features.output_blocks();
        // One map over all blocks would be drawn with the reach of its width.
        #[expect(clippy::cast_precision_loss, reason = "some thousands at most")]
        let reach = 1.0 / (((blocks + 3) * width) as f64).sqrt();
        let part = |blocks: usize, bias| {
            LinearConfig::new(blocks * width, first)
                .with_bias(bias)
                .with_initializer(Initializer::Uniform {
                    min: -reach,
                    max: reach,
                })
                .init(device)
        };
        Self {
            mix: LayerMix {
                weights: Initializer::Zeros.init([layers], device),
                scale: Initializer::Ones.init([1], device),
            },
            head: LensRegressor {
                output: part(blocks, true),
                reference: part(1, false),
                pair: part(2, false),
                hidden: LinearConfig::new(first, second).init(device),
                last: LinearConfig::new(second, 1).init(device),
                dropout: DropoutConfig::new(dropout).init(),
            },
        }
    }

    /// Scores of outputs of one source against each of its references.
    ///
    /// - `source`: `[1, width]`, `outputs`: `[outputs, width]`, `references`: `[references, width]`
    /// - output: z-scores `[outputs, references]`
    pub(crate) fn forward(
        &self,
        features: FeatureBlocks,
        source: Tensor<2>,
        outputs: Tensor<2>,
        references: Tensor<2>,
    ) -> Tensor<2> {
        let [count, width] = outputs.dims();
        let [of, _] = references.dims();
        let (c, s) = (source.expand([count, width]), outputs);
        let mut blocks = vec![
            s.clone(),
            s.clone() * c.clone(),
            (s.clone() - c.clone()).abs(),
        ];
        if features == FeatureBlocks::Seven {
            blocks.insert(0, c);
        }
        let every_s: Tensor<3> = s.unsqueeze_dim::<3>(1).expand([count, of, width]);
        let every_r: Tensor<3> = references
            .clone()
            .unsqueeze_dim::<3>(0)
            .expand([count, of, width]);
        let pairs = Tensor::cat(
            vec![every_s.clone() * every_r.clone(), (every_s - every_r).abs()],
            2,
        );
        self.head.forward(Tensor::cat(blocks, 1), references, pairs)
    }
}

impl LayerMix {
    /// The mix of layers, each of the same shape.
    pub(crate) fn forward<const D: usize>(&self, layers: Vec<Tensor<D>>) -> Tensor<D> {
        let weights = softmax(self.weights.val(), 0) * self.scale.val();
        let mixed = layers.into_iter().enumerate().map(|(at, layer)| {
            let weight = weights.clone().slice(at..=at);
            layer * weight.reshape([1; D])
        });
        mixed
            .reduce(|sum, layer| sum + layer)
            .expect("an encoder has layers")
    }
}

impl LensRegressor {
    fn forward(&self, outputs: Tensor<2>, references: Tensor<2>, pairs: Tensor<3>) -> Tensor<2> {
        let of_output = self.output.forward(outputs).unsqueeze_dim::<3>(1);
        let of_reference = self.reference.forward(references).unsqueeze_dim::<3>(0);
        let first = self.pair.forward(pairs) + of_output + of_reference;
        let first = self.dropout.forward(tanh(first));
        let second = self.dropout.forward(tanh(self.hidden.forward(first)));
        self.last.forward(second).squeeze_dim(2)
    }
}
