//! The computation of a BERT- or RoBERTa-like encoder as an ONNX graph.
//!
//! Devlin et al. 2019, “BERT”, section 3; Vaswani et al. 2017, “Attention is all you need”, section 3.
//! The model is generated rather than shipped: any checkpoint in safetensors is enough.

use super::{
    EncoderError,
    config::{Activation, Config},
    onnx::{Attribute, Element, Graph},
    weights::Weights,
};

/// Names of the inputs: word pieces `[rows, length]`, what is added to attention's grades
/// `[rows, 1, 1, length]` (0 for a piece, very low for padding) and positions `[length]`.
pub(crate) const INPUTS: [&str; 3] = ["pieces", "mask", "positions"];

/// The name of the input that says which type of text each piece is of, `[rows, length]`.
pub(crate) const TYPES: &str = "types";

/// The ONNX model with an output for each layer, embeddings first, each `[rows × length, width]`.
///
/// # Errors
/// The weights lack a tensor or have one of another shape.
pub(crate) fn build(
    config: &Config,
    weights: &Weights,
    types: Types,
) -> Result<Vec<u8>, EncoderError> {
    let mut builder = Builder::new(config, weights)?;
    let width = config.width.to_string();
    for (layer, hidden) in builder.hidden(types)?.iter().enumerate() {
        builder.graph.output(
            hidden,
            &format!("layer_{layer}"),
            Element::Float,
            &["pieces_of_all", &width],
        );
    }
    Ok(builder.graph.into_bytes())
}

/// A graph in the making that knows the encoder's shape and weights.
pub(crate) struct Builder<'a> {
    /// The graph so far.
    pub graph: Graph,
    /// The encoder's shape.
    pub config: &'a Config,
    weights: &'a Weights,
}

/// Which type of text the pieces are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Types {
    /// All of the first.
    First,
    /// What the input [`TYPES`] says.
    Given,
}

/// Shapes that every layer uses.
struct Shapes {
    /// `[rows, length, heads, width / heads]`.
    heads: String,
    /// `[rows × length, width]`.
    flat: String,
}

impl<'a> Builder<'a> {
    /// An empty graph over the weights' file.
    ///
    /// # Errors
    /// The file's name is no valid text.
    pub(crate) fn new(config: &'a Config, weights: &'a Weights) -> Result<Self, EncoderError> {
        let file = weights.path().file_name().and_then(|name| name.to_str());
        let file = file.ok_or_else(|| {
            EncoderError::content(weights.path(), "rename the file: its name is no valid text")
        })?;
        Ok(Self {
            graph: Graph::new(file),
            config,
            weights,
        })
    }

    /// Adds the inputs and the encoder; gives each layer's vectors, embeddings first, each
    /// `[rows × length, width]`.
    ///
    /// # Errors
    /// The weights lack a tensor or have one of another shape.
    pub(crate) fn hidden(&mut self, types: Types) -> Result<Vec<String>, EncoderError> {
        let [pieces, mask, positions] = INPUTS;
        self.graph
            .input(pieces, Element::Integer, &["rows", "length"]);
        self.graph
            .input(mask, Element::Float, &["rows", "1", "1", "length"]);
        self.graph.input(positions, Element::Integer, &["length"]);
        if types == Types::Given {
            self.graph
                .input(TYPES, Element::Integer, &["rows", "length"]);
        }
        let shapes = self.shapes();
        let mut hidden = vec![self.embeddings(types, &shapes)?];
        for layer in 0..self.config.layers {
            let next = self.layer(layer, &hidden[layer], &shapes)?;
            hidden.push(next);
        }
        Ok(hidden)
    }

    fn shapes(&mut self) -> Shapes {
        let heads = self.graph.integers(&[
            as_i64(self.config.heads),
            as_i64(self.config.width / self.config.heads),
        ]);
        let rows = self.graph.node("Shape", &[INPUTS[0]], &[]);
        Shapes {
            heads: self.graph.node(
                "Concat",
                &[&rows, &heads],
                &[("axis", Attribute::Integer(0))],
            ),
            flat: self.graph.integers(&[-1, as_i64(self.config.width)]),
        }
    }

    /// The sum of what word piece, position and type say, normalised.
    fn embeddings(&mut self, kinds: Types, shapes: &Shapes) -> Result<String, EncoderError> {
        let Config {
            width,
            vocabulary,
            positions,
            types,
            ..
        } = *self.config;
        let [pieces, _, places] = INPUTS;
        let table = |kind| format!("embeddings.{kind}_embeddings.weight");
        let table_of_pieces = self.weight(&table("word"), &[vocabulary, width])?;
        let table_of_positions = self.weight(&table("position"), &[positions, width])?;
        let table_of_types = self.weight(&table("token_type"), &[types, width])?;
        let kinds = match kinds {
            Types::First => self.graph.integer(0),
            Types::Given => TYPES.to_owned(),
        };
        let word = self.graph.node("Gather", &[&table_of_pieces, pieces], &[]);
        let position = self
            .graph
            .node("Gather", &[&table_of_positions, places], &[]);
        let kind = self.graph.node("Gather", &[&table_of_types, &kinds], &[]);
        let sum = self.graph.node("Add", &[&word, &position], &[]);
        let sum = self.graph.node("Add", &[&sum, &kind], &[]);
        let sum = self.graph.node("Reshape", &[&sum, &shapes.flat], &[]);
        self.normalised(&sum, "embeddings")
    }

    fn layer(
        &mut self,
        layer: usize,
        hidden: &str,
        shapes: &Shapes,
    ) -> Result<String, EncoderError> {
        let Config { width, inner, .. } = *self.config;
        let name = |part| format!("encoder.layer.{layer}.{part}");
        let seen = self.attention(&name("attention.self"), hidden, shapes)?;
        let seen = self.linear(&seen, &name("attention.output.dense"), width, width)?;
        let sum = self.graph.node("Add", &[&seen, hidden], &[]);
        let seen = self.normalised(&sum, &name("attention.output"))?;
        let thought = self.linear(&seen, &name("intermediate.dense"), width, inner)?;
        let thought = self.activated(&thought);
        let thought = self.linear(&thought, &name("output.dense"), inner, width)?;
        let sum = self.graph.node("Add", &[&thought, &seen], &[]);
        self.normalised(&sum, &name("output"))
    }

    /// Every piece's mean of all pieces' values, weighted by how its query fits their keys.
    fn attention(
        &mut self,
        name: &str,
        hidden: &str,
        shapes: &Shapes,
    ) -> Result<String, EncoderError> {
        let query = self.heads(hidden, &format!("{name}.query"), &[0, 2, 1, 3], shapes)?;
        let key = self.heads(hidden, &format!("{name}.key"), &[0, 2, 3, 1], shapes)?;
        let value = self.heads(hidden, &format!("{name}.value"), &[0, 2, 1, 3], shapes)?;
        #[expect(clippy::cast_precision_loss, reason = "a few hundred at most")]
        let scale = self
            .graph
            .float(1.0 / ((self.config.width / self.config.heads) as f32).sqrt());
        let grades = self.graph.node("MatMul", &[&query, &key], &[]);
        let grades = self.graph.node("Mul", &[&grades, &scale], &[]);
        let grades = self.graph.node("Add", &[&grades, INPUTS[1]], &[]);
        let shares = self
            .graph
            .node("Softmax", &[&grades], &[("axis", Attribute::Integer(-1))]);
        let seen = self.graph.node("MatMul", &[&shares, &value], &[]);
        let seen = self.transposed(&seen, &[0, 2, 1, 3]);
        Ok(self.graph.node("Reshape", &[&seen, &shapes.flat], &[]))
    }

    /// A linear map of `hidden`, cut into heads.
    fn heads(
        &mut self,
        hidden: &str,
        name: &str,
        order: &[i64],
        shapes: &Shapes,
    ) -> Result<String, EncoderError> {
        let mapped = self.linear(hidden, name, self.config.width, self.config.width)?;
        let cut = self.graph.node("Reshape", &[&mapped, &shapes.heads], &[]);
        Ok(self.transposed(&cut, order))
    }

    /// A linear map with bias, by the weights of that name.
    ///
    /// # Errors
    /// As for [`Builder::hidden`].
    pub(crate) fn linear(
        &mut self,
        value: &str,
        name: &str,
        from: usize,
        to: usize,
    ) -> Result<String, EncoderError> {
        let weight = self.weight(&format!("{name}.weight"), &[to, from])?;
        let bias = self.weight(&format!("{name}.bias"), &[to])?;
        let transposed = [("transB", Attribute::Integer(1))];
        Ok(self
            .graph
            .node("Gemm", &[value, &weight, &bias], &transposed))
    }

    fn normalised(&mut self, value: &str, name: &str) -> Result<String, EncoderError> {
        let scale = self.weight(&format!("{name}.LayerNorm.weight"), &[self.config.width])?;
        let bias = self.weight(&format!("{name}.LayerNorm.bias"), &[self.config.width])?;
        let epsilon = [("epsilon", Attribute::Float(self.config.epsilon))];
        Ok(self
            .graph
            .node("LayerNormalization", &[value, &scale, &bias], &epsilon))
    }

    fn activated(&mut self, value: &str) -> String {
        match self.config.activation {
            Activation::Gelu => self.graph.node("Gelu", &[value], &[]),
            Activation::GeluTanh => self.graph.node(
                "Gelu",
                &[value],
                &[("approximate", Attribute::Text("tanh"))],
            ),
            Activation::Relu => self.graph.node("Relu", &[value], &[]),
        }
    }

    fn transposed(&mut self, value: &str, order: &[i64]) -> String {
        self.graph.node(
            "Transpose",
            &[value],
            &[("perm", Attribute::Integers(order))],
        )
    }

    /// The weights of that name and shape.
    ///
    /// # Errors
    /// As for [`Builder::hidden`].
    pub(crate) fn weight(&mut self, name: &str, shape: &[usize]) -> Result<String, EncoderError> {
        Ok(self.graph.weight(self.weights.tensor(name, shape)?))
    }
}

fn as_i64(size: usize) -> i64 {
    i64::try_from(size).expect("a tensor in memory has no larger size")
}
