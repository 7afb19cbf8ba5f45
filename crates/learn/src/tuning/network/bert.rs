//! A BERT- or RoBERTa-like encoder that can be trained.
//!
//! Devlin et al. 2019, “BERT”, section 3. Fields are called as Hugging Face calls the tensors, so that a
//! checkpoint fits unchanged; see [`named_weights`](super::named_weights). The same computation as an ONNX graph is in
//! [`graph`](mod@crate::encoder::graph). Dropout is 0 except after [`Bert::prepare_training`].

#![allow(
    non_snake_case,
    reason = "fields have the names of the checkpoint's tensors"
)]

use burn::{
    module::Module,
    nn::{
        Dropout, DropoutConfig, Embedding, EmbeddingConfig, LayerNorm, LayerNormConfig, Linear,
        LinearConfig,
    },
    tensor::{
        Device, Int, Tensor, TensorData,
        activation::{gelu_approximate, relu, softmax},
    },
};

use super::gelu::gelu;
use crate::encoder::config::{Activation, EncoderConfig};

/// The encoder.
#[derive(Module, Debug)]
pub(crate) struct Bert {
    pub(crate) embeddings: BertEmbeddings,
    pub(crate) encoder: BertEncoder,
    /// Sums the embeddings for the first layer.
    dropout: Dropout,
}

#[derive(Module, Debug)]
pub(crate) struct BertEmbeddings {
    word_embeddings: Embedding,
    position_embeddings: Embedding,
    token_type_embeddings: Embedding,
    LayerNorm: LayerNorm,
}

#[derive(Module, Debug)]
pub(crate) struct BertEncoder {
    pub(crate) layer: Vec<BertLayer>,
}

#[derive(Module, Debug)]
pub(crate) struct BertLayer {
    attention: BertAttention,
    intermediate: BertIntermediate,
    output: BertOutput,
}

#[derive(Module, Debug)]
struct BertAttention {
    /// Called `self` in the checkpoint.
    self_attention: BertSelfAttention,
    output: BertOutput,
}

#[derive(Module, Debug)]
struct BertSelfAttention {
    query: Linear,
    key: Linear,
    value: Linear,
    dropout: Dropout,
}

#[derive(Module, Debug)]
struct BertIntermediate {
    dense: Linear,
}

/// A linear map with a residual connection and normalisation.
#[derive(Module, Debug)]
struct BertOutput {
    dense: Linear,
    LayerNorm: LayerNorm,
    dropout: Dropout,
}

/// Texts as word pieces, padded to the longest.
#[derive(Debug, Clone)]
pub(crate) struct TokenBatch {
    /// Indices of the pieces, `[rows, length]`.
    pub pieces: Tensor<2, Int>,
    /// Their segment types, `[rows, length]`.
    pub types: Tensor<2, Int>,
    /// Their positions, `[1, length]`.
    pub positions: Tensor<2, Int>,
    /// The mask that is added to attention logits: 0, or very low for padding, `[rows, 1, 1, length]`.
    pub mask: Tensor<4>,
    /// Each piece's share of the text's mean, 0 for padding, `[rows, length, 1]`.
    pub shares: Tensor<3>,
}

impl TokenBatch {
    /// Pads the texts, each given as its pieces and their segment types.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a text has some hundred pieces at most"
    )]
    pub(crate) fn new<'a>(
        texts: impl ExactSizeIterator<Item = &'a (Vec<u32>, Vec<u32>)> + Clone,
        config: &EncoderConfig,
        device: &Device,
    ) -> Self {
        let rows = texts.len();
        let length = texts.clone().map(|(pieces, _)| pieces.len()).max();
        let length = length.unwrap_or(0);
        let mut pieces = vec![i64::from(config.padding); rows * length];
        let mut kinds = vec![0_i64; rows * length];
        let mut mask = vec![f32::MIN / 2.0; rows * length];
        let mut shares = vec![0.0_f32; rows * length];
        for (row, (text, types)) in texts.enumerate() {
            for (place, piece) in text.iter().enumerate() {
                let at = row * length + place;
                pieces[at] = i64::from(*piece);
                kinds[at] = config.clamp_type(types.get(place).copied());
                mask[at] = 0.0;
                shares[at] = 1.0 / text.len() as f32;
            }
        }
        let positions: Vec<i64> = (0..length)
            .map(|place| (config.first_position + place) as i64)
            .collect();
        let whole = |values: Vec<i64>, rows| {
            Tensor::from_data(TensorData::new(values, [rows, length]), device)
        };
        Self {
            pieces: whole(pieces, rows),
            types: whole(kinds, rows),
            positions: whole(positions, 1),
            mask: Tensor::from_data(TensorData::new(mask, [rows, 1, 1, length]), device),
            shares: Tensor::from_data(TensorData::new(shares, [rows, length, 1]), device),
        }
    }
}

impl TokenBatch {
    /// The padded length of each text, in pieces.
    pub(crate) fn length(&self) -> usize {
        self.pieces.dims()[1]
    }

    /// The mean vector of each text's pieces, `[rows, width]`, of vectors `[rows, length, width]`.
    pub(crate) fn mean(&self, vectors: Tensor<3>) -> Tensor<2> {
        (vectors * self.shares.clone()).sum_dim(1).squeeze_dim(1)
    }

    /// The vector of each text's first piece, `[rows, width]`, of vectors `[rows, length, width]`.
    pub(crate) fn first(&self, vectors: Tensor<3>) -> Tensor<2> {
        let [rows, _, width] = vectors.dims();
        vectors.slice([0..rows, 0..1, 0..width]).squeeze_dim(1)
    }
}

impl Bert {
    /// An encoder of that shape with random weights.
    pub(crate) fn new(config: &EncoderConfig, device: &Device) -> Self {
        let linear = |from, to| LinearConfig::new(from, to).init(device);
        let table = |rows| EmbeddingConfig::new(rows, config.width).init(device);
        let norm = || {
            LayerNormConfig::new(config.width)
                .with_epsilon(f64::from(config.epsilon))
                .init(device)
        };
        let back = |from| BertOutput {
            dense: linear(from, config.width),
            LayerNorm: norm(),
            dropout: DropoutConfig::new(0.0).init(),
        };
        let layer = |_| BertLayer {
            attention: BertAttention {
                self_attention: BertSelfAttention {
                    query: linear(config.width, config.width),
                    key: linear(config.width, config.width),
                    value: linear(config.width, config.width),
                    dropout: DropoutConfig::new(0.0).init(),
                },
                output: back(config.width),
            },
            intermediate: BertIntermediate {
                dense: linear(config.width, config.intermediate),
            },
            output: back(config.intermediate),
        };
        Self {
            embeddings: BertEmbeddings {
                word_embeddings: table(config.vocabulary),
                position_embeddings: table(config.positions),
                token_type_embeddings: table(config.types),
                LayerNorm: norm(),
            },
            encoder: BertEncoder {
                layer: (0..config.layers).map(layer).collect(),
            },
            dropout: DropoutConfig::new(0.0).init(),
        }
    }

    /// The vectors of each layer, embeddings first, each `[rows, length, width]`.
    pub(crate) fn forward(&self, tokens: &TokenBatch, config: &EncoderConfig) -> Vec<Tensor<3>> {
        let embedded = self.embeddings.forward(tokens);
        let mut all = vec![embedded.clone()];
        all.extend(self.forward_above(0, embedded, tokens, config));
        all
    }

    /// The vectors of each layer above the `first`, of which `hidden` are the vectors.
    pub(crate) fn forward_above(
        &self,
        first: usize,
        mut hidden: Tensor<3>,
        tokens: &TokenBatch,
        config: &EncoderConfig,
    ) -> Vec<Tensor<3>> {
        if first == 0 {
            hidden = self.dropout.forward(hidden);
        }
        let shape = hidden.dims();
        let [rows, length, width] = shape;
        // One product over the pieces of all texts takes less time than one a text.
        let mut hidden = hidden.reshape([rows * length, width]);
        let mut next = |layer: &BertLayer| {
            hidden = layer.forward(hidden.clone(), &tokens.mask, config);
            hidden.clone().reshape(shape)
        };
        self.encoder.layer[first..].iter().map(&mut next).collect()
    }

    /// Freezes the embeddings and all but the `top` last layers, and sets the
    /// dropout of these.
    pub(crate) fn prepare_training(mut self, top: usize, dropout: f64) -> Self {
        let first = self.encoder.layer.len().saturating_sub(top);
        let layers = self.encoder.layer.into_iter().enumerate();
        self.encoder.layer = layers
            .map(|(at, layer)| match at >= first {
                true => layer.with_dropout(dropout).set_require_grad(true),
                false => layer.set_require_grad(false),
            })
            .collect();
        if first == 0 {
            self.dropout.prob = dropout;
        }
        self.embeddings = self.embeddings.set_require_grad(false);
        self
    }
}

impl BertEmbeddings {
    fn forward(&self, tokens: &TokenBatch) -> Tensor<3> {
        let word = self.word_embeddings.forward(tokens.pieces.clone());
        let position = self.position_embeddings.forward(tokens.positions.clone());
        let kind = self.token_type_embeddings.forward(tokens.types.clone());
        self.LayerNorm.forward(word + kind + position)
    }
}

impl BertLayer {
    fn with_dropout(mut self, share: f64) -> Self {
        let layer = &mut self;
        let all = [
            &mut layer.attention.self_attention.dropout,
            &mut layer.attention.output.dropout,
            &mut layer.output.dropout,
        ];
        all.into_iter().for_each(|dropout| dropout.prob = share);
        self
    }

    /// The layer's output for the pieces of all texts, `[rows · length, width]`.
    fn forward(&self, hidden: Tensor<2>, mask: &Tensor<4>, config: &EncoderConfig) -> Tensor<2> {
        let attention = self
            .attention
            .self_attention
            .forward(hidden.clone(), mask, config);
        let attention = self.attention.output.forward(attention, hidden);
        let thought = self.intermediate.dense.forward(attention.clone());
        let thought = match config.activation {
            Activation::Gelu => gelu(thought),
            Activation::GeluTanh => gelu_approximate(thought),
            Activation::Relu => relu(thought),
        };
        self.output.forward(thought, attention)
    }
}

impl BertSelfAttention {
    fn forward(&self, hidden: Tensor<2>, mask: &Tensor<4>, config: &EncoderConfig) -> Tensor<2> {
        let [rows, .., length] = mask.dims();
        let [pieces, width] = hidden.dims();
        let cut = |map: &Linear| {
            let mapped = map.forward(hidden.clone());
            mapped
                .reshape([rows, length, config.heads, width / config.heads])
                .swap_dims(1, 2)
        };
        #[expect(clippy::cast_precision_loss, reason = "a few hundred at most")]
        let scale = 1.0 / ((width / config.heads) as f32).sqrt();
        let query = cut(&self.query).mul_scalar(scale);
        let grades = query.matmul(cut(&self.key).swap_dims(2, 3)) + mask.clone();
        let shares = self.dropout.forward(softmax(grades, 3));
        let context = shares.matmul(cut(&self.value));
        context.swap_dims(1, 2).reshape([pieces, width])
    }
}

impl BertOutput {
    fn forward(&self, value: Tensor<2>, before: Tensor<2>) -> Tensor<2> {
        let back = self.dropout.forward(self.dense.forward(value));
        self.LayerNorm.forward(back + before)
    }
}
