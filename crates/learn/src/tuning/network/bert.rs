//! A BERT- or RoBERTa-like encoder that can be trained.
//!
//! Devlin et al. 2019, “BERT”, section 3. Weights have Hugging Face's names, so that a checkpoint fits
//! unchanged. The same computation as an ONNX graph is in [`graph`](mod@crate::encoder::graph).

use std::ops::Range;

use tensor::{Attention, Draw, Dropout, DropoutMasks, Tensor, WeightSpec, Weights};

use crate::encoder::config::{Activation, EncoderConfig};

/// The distribution from which embeddings are drawn before training.
const EMBEDDING: Draw = Draw::Normal(1.0);

/// The encoder.
#[derive(Debug, Clone)]
pub(crate) struct Bert {
    pub(crate) weights: Weights,
    layers: usize,
    /// The first trained layer, and the dropout in it and above during training.
    trained: usize,
    dropout: f32,
}

/// The word pieces of texts, one text after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct TokenBatch {
    /// Indices of the pieces.
    pieces: Vec<usize>,
    /// Their segment types.
    types: Vec<usize>,
    /// Their positions.
    positions: Vec<usize>,
    /// The number of each piece's text.
    texts: Vec<usize>,
    /// Each piece's share of its text's mean.
    shares: Vec<f32>,
    /// The pieces of each text.
    pub ranges: Vec<Range<usize>>,
}

impl TokenBatch {
    /// The texts, each given as its pieces and their segment types.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a text has some hundred pieces at most"
    )]
    pub(crate) fn new<'a>(
        texts: impl Iterator<Item = &'a (Vec<u32>, Vec<u32>)>,
        config: &EncoderConfig,
    ) -> Self {
        let mut batch = Self::default();
        for (text, (pieces, types)) in texts.enumerate() {
            let first = batch.pieces.len();
            for (place, piece) in pieces.iter().enumerate() {
                batch.pieces.push(*piece as usize);
                let kind = config.clamp_type(types.get(place).copied());
                batch.types.push(usize::try_from(kind).unwrap_or_default());
                batch.positions.push(config.first_position + place);
                batch.texts.push(text);
                batch.shares.push(1.0 / pieces.len() as f32);
            }
            batch.ranges.push(first..batch.pieces.len());
        }
        batch
    }

    /// The mean vector of each text's pieces, `[texts, width]`, of vectors `[pieces, width]`.
    pub(crate) fn mean(&self, vectors: &Tensor) -> Tensor {
        let weighted = vectors.scale_rows(&self.shares);
        weighted.sum_rows(&self.texts, self.ranges.len())
    }

    /// The vector of each text's first piece, `[texts, width]`, of vectors `[pieces, width]`.
    pub(crate) fn first(&self, vectors: &Tensor) -> Tensor {
        let first: Vec<usize> = self.ranges.iter().map(|range| range.start).collect();
        vectors.select_rows(&first)
    }
}

impl Bert {
    /// The weights of an encoder of that shape.
    pub(crate) fn weights(config: &EncoderConfig) -> Vec<WeightSpec> {
        let EncoderConfig {
            width,
            intermediate,
            ..
        } = *config;
        let mut all = Vec::new();
        for (table, rows) in [
            ("word", config.vocabulary),
            ("position", config.positions),
            ("token_type", config.types),
        ] {
            let name = format!("embeddings.{table}_embeddings.weight");
            all.push(WeightSpec::new(name, [rows, width], EMBEDDING));
        }
        all.extend(norm("embeddings", width));

        for layer in 0..config.layers {
            let layer = format!("encoder.layer.{layer}");
            for (part, from, to) in [
                ("attention.self.query", width, width),
                ("attention.self.key", width, width),
                ("attention.self.value", width, width),
                ("attention.output.dense", width, width),
                ("intermediate.dense", width, intermediate),
                ("output.dense", intermediate, width),
            ] {
                let name = format!("{layer}.{part}");
                all.extend(WeightSpec::linear(&name, from, to, Draw::for_inputs(from)));
            }
            all.extend(norm(&format!("{layer}.attention.output"), width));
            all.extend(norm(&format!("{layer}.output"), width));
        }

        all
    }

    /// An encoder of that shape with these weights.
    pub(crate) const fn new(config: &EncoderConfig, weights: Weights) -> Self {
        Self {
            weights,
            layers: config.layers,
            trained: config.layers,
            dropout: 0.0,
        }
    }

    /// The vectors of each layer, embeddings first, each `[pieces, width]`.
    pub(crate) fn forward(
        &self,
        tokens: &TokenBatch,
        config: &EncoderConfig,
        masks: Option<&DropoutMasks>,
    ) -> Vec<Tensor> {
        let embedded = self.embed(tokens, config);
        let above = self.forward_above(0, &embedded, tokens, config, masks);
        std::iter::once(embedded).chain(above).collect()
    }

    /// The vectors of each layer above `first`, whose vectors are `hidden`.
    pub(crate) fn forward_above(
        &self,
        first: usize,
        hidden: &Tensor,
        tokens: &TokenBatch,
        config: &EncoderConfig,
        masks: Option<&DropoutMasks>,
    ) -> Vec<Tensor> {
        let mut hidden = match first {
            0 => hidden.dropout(self.dropout_of(0, masks)),
            _ => hidden.clone(),
        };

        let mut all = Vec::new();
        for layer in first..self.layers {
            let dropout = self.dropout_of(layer, masks);
            hidden = self.forward_layer(layer, &hidden, tokens, config, dropout);
            all.push(hidden.clone());
        }
        all
    }

    /// Freezes the embeddings and all but the `top` last layers, and sets the dropout of these.
    pub(crate) fn prepare_training(mut self, top: usize, dropout: f64) -> Self {
        self.trained = self.layers.saturating_sub(top);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "networks compute with single precision"
        )]
        let dropout = dropout as f32;
        self.dropout = dropout;

        let trained_layers: Vec<String> = (self.trained..self.layers)
            .map(|layer| format!("encoder.layer.{layer}."))
            .collect();
        self.weights = self
            .weights
            .tracked(|name| trained_layers.iter().any(|layer| name.starts_with(layer)));
        self
    }

    /// The encoder without gradients, for inference.
    pub(crate) fn frozen(mut self) -> Self {
        self.weights = self.weights.untracked();
        self
    }

    fn dropout_of<'a>(&self, layer: usize, masks: Option<&'a DropoutMasks>) -> Dropout<'a> {
        Dropout {
            share: self.dropout,
            masks: masks.filter(|_| layer >= self.trained),
        }
    }

    fn embed(&self, tokens: &TokenBatch, config: &EncoderConfig) -> Tensor {
        let sum = self
            .table("word")
            .select_rows(&tokens.pieces)
            .add_rows(self.table("token_type"), &tokens.types)
            .add_rows(self.table("position"), &tokens.positions);
        self.normalise("embeddings", &sum, config)
    }

    fn table(&self, name: &str) -> &Tensor {
        let name = format!("embeddings.{name}_embeddings.weight");
        self.weights.own(&name)
    }

    /// A layer's vectors of all pieces, `[pieces, width]`.
    fn forward_layer(
        &self,
        layer: usize,
        hidden: &Tensor,
        tokens: &TokenBatch,
        config: &EncoderConfig,
        dropout: Dropout<'_>,
    ) -> Tensor {
        let layer = format!("encoder.layer.{layer}");
        let [queries, keys, values] = ["query", "key", "value"].map(|part| {
            let name = format!("{layer}.attention.self.{part}");
            self.weights.linear(&name, hidden)
        });
        let attention = Attention {
            texts: &tokens.ranges,
            heads: config.heads,
            dropout,
        };
        let context = Tensor::attention(&queries, &keys, &values, attention);
        let name = format!("{layer}.attention.output");
        let attention = self.merge(&name, &context, hidden, config, dropout);

        let name = format!("{layer}.intermediate.dense");
        let forward = self.weights.linear(&name, &attention);
        let forward = match config.activation {
            Activation::Gelu => forward.gelu(),
            Activation::GeluTanh => forward.gelu_tanh(),
            Activation::Relu => forward.relu(),
        };
        let name = format!("{layer}.output");
        self.merge(&name, &forward, &attention, config, dropout)
    }

    /// A linear map with a residual connection and normalisation.
    fn merge(
        &self,
        name: &str,
        value: &Tensor,
        before: &Tensor,
        config: &EncoderConfig,
        dropout: Dropout<'_>,
    ) -> Tensor {
        let back = self.weights.linear(&format!("{name}.dense"), value);
        self.normalise(name, &(&back.dropout(dropout) + before), config)
    }

    fn normalise(&self, name: &str, rows: &Tensor, config: &EncoderConfig) -> Tensor {
        let [scale, offset] =
            ["weight", "bias"].map(|part| self.weights.own(&format!("{name}.LayerNorm.{part}")));
        rows.layer_norm(scale, offset, config.epsilon)
    }
}

fn norm(name: &str, width: usize) -> [WeightSpec; 2] {
    [("weight", 1.0), ("bias", 0.0)].map(|(part, value)| {
        let name = format!("{name}.LayerNorm.{part}");
        WeightSpec::new(name, [width], Draw::Constant(value))
    })
}
