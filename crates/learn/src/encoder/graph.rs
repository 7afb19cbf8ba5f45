//! The computation of a BERT-, RoBERTa- or MPNet-like encoder as an ONNX graph.
//!
//! Devlin et al. 2019, “BERT”, section 3; Vaswani et al. 2017, “Attention is all you need”, section 3; Song et al. 2020,
//! “MPNet”, whose attention has a bias by the distance of two pieces (Raffel et al. 2020, section 2.1).
//! The model is generated rather than shipped: any checkpoint in safetensors is enough.

use super::{
    EncoderError,
    config::{Activation, EncoderConfig},
    onnx::{OnnxAttribute, OnnxElementType, OnnxGraph},
    weights::WeightsHeader,
};

/// Names of the inputs: word pieces `[rows, length]`, the mask that is added to attention logits
/// `[rows, 1, 1, length]` (0 for a piece, very low for padding) and positions `[length]`.
pub(crate) const INPUTS: [&str; 3] = ["pieces", "mask", "positions"];

/// The name of the input with the segment type of each piece, `[rows, length]`.
pub(crate) const TYPES: &str = "types";

/// The ONNX model with an output for each layer, embeddings first, each `[rows × length, width]`.
///
/// # Errors
/// The weights lack a tensor or have one of another shape.
pub(crate) fn build_encoder_graph(
    config: &EncoderConfig,
    weights: &WeightsHeader,
    types: TokenTypes,
) -> Result<Vec<u8>, EncoderError> {
    let mut builder = GraphBuilder::new(config, weights)?;
    let width = config.width.to_string();
    for (layer, hidden) in builder.add_encoder(types)?.iter().enumerate() {
        builder.graph.add_output(
            hidden,
            &format!("layer_{layer}"),
            OnnxElementType::Float,
            &["pieces_of_all", &width],
        );
    }
    Ok(builder.graph.into_bytes())
}

/// A builder that knows the encoder's shape and weights.
pub(crate) struct GraphBuilder<'a> {
    /// The graph so far.
    pub graph: OnnxGraph,
    /// The encoder's shape.
    pub config: &'a EncoderConfig,
    weights: &'a WeightsHeader,
}

/// The segment types of the pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenTypes {
    /// All of the first.
    First,
    /// Given by the input with the segment types.
    FromInput,
}

/// The distance at which the logarithmic scale of classes ends.
const MAX_DISTANCE: usize = 128;

/// Shapes and values that every layer uses.
struct LayerShapes {
    /// `[rows, length, heads, width / heads]`.
    heads: String,
    /// `[rows × length, width]`.
    flat: String,
    /// The terms added to attention logits: the mask and, for MPNet, the bias of distances.
    bias: String,
}

/// Names of the parts of a layer.
struct LayerNames {
    query: &'static str,
    key: &'static str,
    value: &'static str,
    attention: &'static str,
    attention_norm: &'static str,
}

impl LayerNames {
    const BERT: Self = Self {
        query: "attention.self.query",
        key: "attention.self.key",
        value: "attention.self.value",
        attention: "attention.output.dense",
        attention_norm: "attention.output",
    };
    const MPNET: Self = Self {
        query: "attention.attn.q",
        key: "attention.attn.k",
        value: "attention.attn.v",
        attention: "attention.attn.o",
        attention_norm: "attention",
    };
}

impl<'a> GraphBuilder<'a> {
    /// An empty graph over the weights' file.
    ///
    /// # Errors
    /// The file's name is not valid text.
    pub(crate) fn new(
        config: &'a EncoderConfig,
        weights: &'a WeightsHeader,
    ) -> Result<Self, EncoderError> {
        let file = weights.path().file_name().and_then(|name| name.to_str());
        let file = file.ok_or_else(|| {
            EncoderError::content(
                weights.path(),
                "rename the file: its name is not valid text",
            )
        })?;
        Ok(Self {
            graph: OnnxGraph::new(file),
            config,
            weights,
        })
    }

    /// Adds the inputs and the encoder; returns each layer's vectors, embeddings first, each
    /// `[rows × length, width]`.
    ///
    /// # Errors
    /// The weights lack a tensor or have one of another shape.
    pub(crate) fn add_encoder(&mut self, types: TokenTypes) -> Result<Vec<String>, EncoderError> {
        let [pieces, mask, positions] = INPUTS;
        self.graph
            .add_input(pieces, OnnxElementType::Integer, &["rows", "length"]);
        self.graph
            .add_input(mask, OnnxElementType::Float, &["rows", "1", "1", "length"]);
        self.graph
            .add_input(positions, OnnxElementType::Integer, &["length"]);
        if types == TokenTypes::FromInput {
            self.graph
                .add_input(TYPES, OnnxElementType::Integer, &["rows", "length"]);
        }

        let shapes = self.add_shapes()?;
        let mut hidden = vec![self.add_embeddings(types, &shapes)?];
        for layer in 0..self.config.layers {
            let next = self.add_layer(layer, &hidden[layer], &shapes)?;
            hidden.push(next);
        }
        Ok(hidden)
    }

    fn add_shapes(&mut self) -> Result<LayerShapes, EncoderError> {
        let bias = match self.config.distance_buckets {
            Some(buckets) => self.add_distance_bias(buckets)?,
            None => INPUTS[1].to_owned(),
        };

        let heads = self.graph.add_integers(&[
            as_i64(self.config.heads),
            as_i64(self.config.width / self.config.heads),
        ]);
        let rows = self.graph.add_node("Shape", &[INPUTS[0]], &[]);
        Ok(LayerShapes {
            heads: self.graph.add_node(
                "Concat",
                &[&rows, &heads],
                &[("axis", OnnxAttribute::Integer(0))],
            ),
            flat: self.graph.add_integers(&[-1, as_i64(self.config.width)]),
            bias,
        })
    }

    /// The mask plus the bias of each head for the distance of two pieces, `[rows, heads, length, length]`.
    fn add_distance_bias(&mut self, buckets: usize) -> Result<String, EncoderError> {
        let [_, mask, positions] = INPUTS;
        let weights = self.add_weight(
            "encoder.relative_attention_bias.weight",
            &[buckets, self.config.heads],
        )?;
        let farthest = as_i64(self.config.positions) - 1;

        let table: Vec<i64> = (-farthest..=farthest)
            .map(|distance| find_distance_bucket(distance, buckets))
            .collect();
        let table = self.graph.add_integers(&table);

        let (rows, columns) = (self.graph.add_integers(&[1]), self.graph.add_integers(&[0]));
        let from = self.graph.add_node("Unsqueeze", &[positions, &rows], &[]);
        let to = self
            .graph
            .add_node("Unsqueeze", &[positions, &columns], &[]);

        let distance = self.graph.add_node("Sub", &[&to, &from], &[]);
        let first = self.graph.add_integer(farthest);
        let place = self.graph.add_node("Add", &[&distance, &first], &[]);
        let bucket = self.graph.add_node("Gather", &[&table, &place], &[]);
        let bias = self.graph.add_node("Gather", &[&weights, &bucket], &[]);
        let bias = self.add_transpose(&bias, &[2, 0, 1]);
        Ok(self.graph.add_node("Add", &[mask, &bias], &[]))
    }

    /// The normalised sum of word piece, position and segment type embeddings.
    fn add_embeddings(
        &mut self,
        kinds: TokenTypes,
        shapes: &LayerShapes,
    ) -> Result<String, EncoderError> {
        let EncoderConfig {
            width,
            vocabulary,
            positions,
            types,
            ..
        } = *self.config;
        let [pieces, _, places] = INPUTS;
        let word_table = self.add_weight(&embedding_table("word"), &[vocabulary, width])?;
        let position_table = self.add_weight(&embedding_table("position"), &[positions, width])?;
        let word = self.graph.add_node("Gather", &[&word_table, pieces], &[]);
        let position = self
            .graph
            .add_node("Gather", &[&position_table, places], &[]);
        let mut sum = self.graph.add_node("Add", &[&word, &position], &[]);

        if types > 0 {
            let type_table = self.add_weight(&embedding_table("token_type"), &[types, width])?;
            let kinds = match kinds {
                TokenTypes::First => self.graph.add_integer(0),
                TokenTypes::FromInput => TYPES.to_owned(),
            };
            let kind = self.graph.add_node("Gather", &[&type_table, &kinds], &[]);
            sum = self.graph.add_node("Add", &[&sum, &kind], &[]);
        }

        let sum = self.graph.add_node("Reshape", &[&sum, &shapes.flat], &[]);
        self.add_layer_norm(&sum, "embeddings")
    }

    fn add_layer(
        &mut self,
        layer: usize,
        hidden: &str,
        shapes: &LayerShapes,
    ) -> Result<String, EncoderError> {
        let EncoderConfig {
            width,
            intermediate: inner,
            ..
        } = *self.config;
        let names = match self.config.distance_buckets {
            Some(_) => LayerNames::MPNET,
            None => LayerNames::BERT,
        };

        let attention = self.add_attention(layer, &names, hidden, shapes)?;
        let attention =
            self.add_linear(&attention, &name_part(layer, names.attention), width, width)?;
        let sum = self.graph.add_node("Add", &[&attention, hidden], &[]);
        let attention = self.add_layer_norm(&sum, &name_part(layer, names.attention_norm))?;

        let inner_name = name_part(layer, "intermediate.dense");
        let forward = self.add_linear(&attention, &inner_name, width, inner)?;
        let forward = self.add_activation(&forward);
        let forward = self.add_linear(&forward, &name_part(layer, "output.dense"), inner, width)?;
        let sum = self.graph.add_node("Add", &[&forward, &attention], &[]);
        self.add_layer_norm(&sum, &name_part(layer, "output"))
    }

    /// Multi-head attention: for every piece, the mean of all values weighted by the softmax of its attention logits.
    fn add_attention(
        &mut self,
        layer: usize,
        names: &LayerNames,
        hidden: &str,
        shapes: &LayerShapes,
    ) -> Result<String, EncoderError> {
        let [query, key, value] =
            [names.query, names.key, names.value].map(|part| name_part(layer, part));
        let query = self.add_heads(hidden, &query, &[0, 2, 1, 3], shapes)?;
        let key = self.add_heads(hidden, &key, &[0, 2, 3, 1], shapes)?;
        let value = self.add_heads(hidden, &value, &[0, 2, 1, 3], shapes)?;

        #[expect(clippy::cast_precision_loss, reason = "a few hundred at most")]
        let scale = self
            .graph
            .add_float(1.0 / ((self.config.width / self.config.heads) as f32).sqrt());
        let grades = self.graph.add_node("MatMul", &[&query, &key], &[]);
        let grades = self.graph.add_node("Mul", &[&grades, &scale], &[]);
        let grades = self.graph.add_node("Add", &[&grades, &shapes.bias], &[]);
        let shares = self.graph.add_node(
            "Softmax",
            &[&grades],
            &[("axis", OnnxAttribute::Integer(-1))],
        );

        let context = self.graph.add_node("MatMul", &[&shares, &value], &[]);
        let context = self.add_transpose(&context, &[0, 2, 1, 3]);
        Ok(self
            .graph
            .add_node("Reshape", &[&context, &shapes.flat], &[]))
    }

    /// A linear map of `hidden`, cut into heads.
    fn add_heads(
        &mut self,
        hidden: &str,
        name: &str,
        order: &[i64],
        shapes: &LayerShapes,
    ) -> Result<String, EncoderError> {
        let mapped = self.add_linear(hidden, name, self.config.width, self.config.width)?;
        let cut = self
            .graph
            .add_node("Reshape", &[&mapped, &shapes.heads], &[]);
        Ok(self.add_transpose(&cut, order))
    }

    /// A linear map with bias, by the weights of that name.
    ///
    /// # Errors
    /// As for [`GraphBuilder::add_encoder`].
    pub(crate) fn add_linear(
        &mut self,
        value: &str,
        name: &str,
        from: usize,
        to: usize,
    ) -> Result<String, EncoderError> {
        let weight = self.add_weight(&format!("{name}.weight"), &[to, from])?;
        let bias = self.add_weight(&format!("{name}.bias"), &[to])?;
        let transposed = [("transB", OnnxAttribute::Integer(1))];
        Ok(self
            .graph
            .add_node("Gemm", &[value, &weight, &bias], &transposed))
    }

    fn add_layer_norm(&mut self, value: &str, name: &str) -> Result<String, EncoderError> {
        let scale = self.add_weight(&format!("{name}.LayerNorm.weight"), &[self.config.width])?;
        let bias = self.add_weight(&format!("{name}.LayerNorm.bias"), &[self.config.width])?;
        let epsilon = [("epsilon", OnnxAttribute::Float(self.config.epsilon))];
        Ok(self
            .graph
            .add_node("LayerNormalization", &[value, &scale, &bias], &epsilon))
    }

    fn add_activation(&mut self, value: &str) -> String {
        match self.config.activation {
            Activation::Gelu => self.graph.add_node("Gelu", &[value], &[]),
            Activation::GeluTanh => self.graph.add_node(
                "Gelu",
                &[value],
                &[("approximate", OnnxAttribute::Text("tanh"))],
            ),
            Activation::Relu => self.graph.add_node("Relu", &[value], &[]),
        }
    }

    fn add_transpose(&mut self, value: &str, order: &[i64]) -> String {
        self.graph.add_node(
            "Transpose",
            &[value],
            &[("perm", OnnxAttribute::Integers(order))],
        )
    }

    /// The weights of that name and shape.
    ///
    /// # Errors
    /// As for [`GraphBuilder::add_encoder`].
    pub(crate) fn add_weight(
        &mut self,
        name: &str,
        shape: &[usize],
    ) -> Result<String, EncoderError> {
        Ok(self.graph.add_weight(self.weights.tensor(name, shape)?))
    }
}

fn embedding_table(kind: &str) -> String {
    format!("embeddings.{kind}_embeddings.weight")
}

fn name_part(layer: usize, part: &str) -> String {
    format!("encoder.layer.{layer}.{part}")
}

/// The class of the distance from a piece to another. Half of the classes are for pieces before it, half for those
/// after it. Short distances have a class each, longer ones share classes by their logarithm.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "distances are small"
)]
fn find_distance_bucket(distance: i64, buckets: usize) -> i64 {
    let half = as_i64(buckets / 2);
    let exact = half / 2;
    let length = distance.abs();
    let bucket = if length < exact {
        length
    } else {
        let logarithm = (length as f32 / exact as f32).ln();
        let share = logarithm / (MAX_DISTANCE as f32 / exact as f32).ln();
        (exact + (share * (half - exact) as f32) as i64).min(half - 1)
    };
    bucket + if distance > 0 { half } else { 0 }
}

fn as_i64(size: usize) -> i64 {
    i64::try_from(size).expect("a tensor in memory has no larger size")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 32 classes: 16 for pieces before and 16 after; of these, eight of one distance each, and eight of several.
    #[test]
    fn distances_are_put_into_classes() {
        let bucket = |distance| find_distance_bucket(distance, 32);
        assert_eq!([0, -1, -7, -8].map(bucket), [0, 1, 7, 8]);
        assert_eq!([1, 7, 8].map(bucket), [17, 23, 24]);
        // 8 √2 is 11.3; from there, each class is √2 times as far.
        assert_eq!([-11, -12, -15, -17].map(bucket), [8, 9, 9, 10]);
        // 8 · 16^(7/8) is 90.5; from there, all are in the last class.
        assert_eq!([-90, -91, -128, -500].map(bucket), [14, 15, 15, 15]);
        assert_eq!([90, 91, 500].map(bucket), [30, 31, 31]);
    }
}
