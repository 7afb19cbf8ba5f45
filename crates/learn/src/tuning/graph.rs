//! ONNX graphs of trained models over their weight files.

use super::{
    network::{FeatureBlocks, LensSize},
    plan::TextPooling,
};
use crate::encoder::{
    EncoderError,
    config::EncoderConfig,
    graph::{GraphBuilder, INPUTS, TokenTypes},
    onnx::{OnnxAttribute, OnnxElementType},
    weights::WeightsHeader,
};

/// Names of the inputs of the LENS regressor, each `[rows, width]`.
pub(super) const TRIPLE_INPUTS: [&str; 3] = ["source", "output", "reference"];

/// The graph from texts to their embeddings `[rows, width]`: the mix of layers, averaged over a text's pieces.
///
/// # Errors
/// The weights lack a tensor or have one of another shape.
pub(super) fn build_sentence_graph(
    config: &EncoderConfig,
    weights: &WeightsHeader,
) -> Result<Vec<u8>, EncoderError> {
    let mut builder = GraphBuilder::new(config, weights)?;
    let hidden = builder.add_encoder(TokenTypes::First)?;
    let mix = builder.add_weight("lens.mix.weights", &[config.layers + 1])?;
    let scale = builder.add_weight("lens.mix.scale", &[1])?;

    let graph = &mut builder.graph;
    let mix = graph.add_node("Softmax", &[&mix], &[("axis", OnnxAttribute::Integer(0))]);
    let mix = graph.add_node("Mul", &[&mix, &scale], &[]);
    let mut mixed: Option<String> = None;
    for (layer, hidden) in (0..).zip(&hidden) {
        let at = graph.add_integers(&[layer]);
        let weight = graph.add_node("Gather", &[&mix, &at], &[]);
        let part = graph.add_node("Mul", &[hidden, &weight], &[]);
        mixed = Some(match mixed {
            Some(sum) => graph.add_node("Add", &[&sum, &part], &[]),
            None => part,
        });
    }
    let mixed = mixed.expect("an encoder has layers");

    let mean = add_mean_pooling(&mut builder, &mixed);
    add_output(&mut builder, &mean, config.width);
    Ok(builder.graph.into_bytes())
}

/// The graph from embeddings of source, output and reference to the z-score `[rows, 1]`.
///
/// # Errors
/// As for [`build_sentence_graph`].
pub(super) fn build_regressor_graph(
    config: &EncoderConfig,
    size: LensSize,
    weights: &WeightsHeader,
) -> Result<Vec<u8>, EncoderError> {
    let mut builder = GraphBuilder::new(config, weights)?;
    let width = size.width.to_string();
    for name in TRIPLE_INPUTS {
        let shape = ["rows", &width];
        builder
            .graph
            .add_input(name, OnnxElementType::Float, &shape);
    }

    let [c, s, r] = TRIPLE_INPUTS;
    let [s_c, far_c] = add_comparison(&mut builder, s, c);
    let [s_r, far_r] = add_comparison(&mut builder, s, r);
    let of_output: &[&str] = match size.features {
        FeatureBlocks::Seven => &[c, s, &s_c, &far_c],
        FeatureBlocks::Six => &[s, &s_c, &far_c],
    };

    let along = [("axis", OnnxAttribute::Integer(1))];
    let of_output = builder.graph.add_node("Concat", of_output, &along);
    let pair = builder.graph.add_node("Concat", &[&s_r, &far_r], &along);

    let [first, second] = size.hidden;
    let mut sum = builder.add_linear(
        &of_output,
        &name_head_part("output"),
        size.output_block_width(),
        first,
    )?;

    for (value, name, from) in [
        (r, "reference", size.width),
        (pair.as_str(), "pair", 2 * size.width),
    ] {
        let weight =
            builder.add_weight(&name_head_part(&format!("{name}.weight")), &[first, from])?;
        let turned = [("transB", OnnxAttribute::Integer(1))];
        let part = builder.graph.add_node("Gemm", &[value, &weight], &turned);
        sum = builder.graph.add_node("Add", &[&sum, &part], &[]);
    }

    let value = builder.graph.add_node("Tanh", &[&sum], &[]);
    let value = builder.add_linear(&value, &name_head_part("hidden"), first, second)?;
    let value = builder.graph.add_node("Tanh", &[&value], &[]);
    let value = builder.add_linear(&value, &name_head_part("last"), second, 1)?;
    add_output(&mut builder, &value, 1);
    Ok(builder.graph.into_bytes())
}

/// The graph from pairs of texts to both predictions `[rows, 2]`.
///
/// # Errors
/// As for [`build_sentence_graph`].
pub(super) fn build_cross_graph(
    config: &EncoderConfig,
    pooling: TextPooling,
    weights: &WeightsHeader,
) -> Result<Vec<u8>, EncoderError> {
    let mut builder = GraphBuilder::new(config, weights)?;
    let hidden = builder.add_encoder(TokenTypes::FromInput)?;
    let last = hidden.last().expect("an encoder has layers");
    let pooled = match pooling {
        TextPooling::Mean => add_mean_pooling(&mut builder, last),
        TextPooling::First => add_first_pooling(&mut builder, last),
    };

    let quality = builder.add_linear(&pooled, "cross.quality", config.width, 1)?;
    let order = builder.add_linear(&pooled, "cross.order", config.width, 1)?;
    let along = [("axis", OnnxAttribute::Integer(1))];
    let predictions = builder
        .graph
        .add_node("Concat", &[&quality, &order], &along);
    add_output(&mut builder, &predictions, 2);
    Ok(builder.graph.into_bytes())
}

fn name_head_part(part: &str) -> String {
    format!("lens.head.{part}")
}

/// The elementwise product of two values and their absolute difference.
fn add_comparison(builder: &mut GraphBuilder<'_>, one: &str, other: &str) -> [String; 2] {
    let graph = &mut builder.graph;
    let product = graph.add_node("Mul", &[one, other], &[]);
    let difference = graph.add_node("Sub", &[one, other], &[]);
    [product, graph.add_node("Abs", &[&difference], &[])]
}

/// Vectors `[rows, length, width]`, of vectors `[rows × length, width]`.
fn add_rows(builder: &mut GraphBuilder<'_>, vectors: &str) -> String {
    let width = i64::try_from(builder.config.width).unwrap_or(i64::MAX);
    let graph = &mut builder.graph;
    let [pieces, ..] = INPUTS;
    let rows = graph.add_node("Shape", &[pieces], &[]);
    let width = graph.add_integers(&[width]);
    let along = [("axis", OnnxAttribute::Integer(0))];
    let cut = graph.add_node("Concat", &[&rows, &width], &along);
    graph.add_node("Reshape", &[vectors, &cut], &[])
}

/// The vector `[rows, width]` of each text's first piece, of vectors `[rows × length, width]`.
fn add_first_pooling(builder: &mut GraphBuilder<'_>, vectors: &str) -> String {
    let vectors = add_rows(builder, vectors);
    let width = i64::try_from(builder.config.width).unwrap_or(i64::MAX);
    let graph = &mut builder.graph;
    let first = graph.add_integers(&[0]);
    let along = [("axis", OnnxAttribute::Integer(1))];
    let vectors = graph.add_node("Gather", &[&vectors, &first], &along);
    let flat = graph.add_integers(&[-1, width]);
    graph.add_node("Reshape", &[&vectors, &flat], &[])
}

/// The mean vector `[rows, width]` of each text's pieces, of vectors `[rows × length, width]`.
fn add_mean_pooling(builder: &mut GraphBuilder<'_>, vectors: &str) -> String {
    let vectors = add_rows(builder, vectors);
    let graph = &mut builder.graph;
    let [_, mask, _] = INPUTS;
    let zero = graph.add_float(0.0);
    let inside = graph.add_node("Equal", &[mask, &zero], &[]);
    let as_float = [("to", OnnxAttribute::Integer(OnnxElementType::Float as i64))];
    let inside = graph.add_node("Cast", &[&inside], &as_float);

    // 0 keeps the number of rows, −1 takes the remaining size: the length.
    let column = graph.add_integers(&[0, -1, 1]);
    let inside = graph.add_node("Reshape", &[&inside, &column], &[]);
    let places = graph.add_integers(&[1]);

    let flat = [("keepdims", OnnxAttribute::Integer(0))];
    let masked_vectors = graph.add_node("Mul", &[&vectors, &inside], &[]);
    let sum = graph.add_node("ReduceSum", &[&masked_vectors, &places], &flat);
    let count = graph.add_node("ReduceSum", &[&inside, &places], &flat);
    graph.add_node("Div", &[&sum, &count], &[])
}

fn add_output(builder: &mut GraphBuilder<'_>, value: &str, columns: usize) {
    let shape = ["rows", &columns.to_string()];
    builder
        .graph
        .add_output(value, "result", OnnxElementType::Float, &shape);
}
