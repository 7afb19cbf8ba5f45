//! Trained models as ONNX graphs over their file of weights.

use super::network::{Features, LensSize};
use crate::encoder::{
    EncoderError,
    config::Config,
    graph::{Builder, INPUTS, Types},
    onnx::{Attribute, Element},
    weights::Weights,
};

/// Names of the inputs of the LENS regressor, each `[rows, width]`.
pub(super) const TRIPLE: [&str; 3] = ["source", "output", "reference"];

/// From texts to their embeddings `[rows, width]`: the mix of layers, its mean over a text's pieces.
///
/// # Errors
/// The weights lack a tensor or have one of another shape.
pub(super) fn sentence(config: &Config, weights: &Weights) -> Result<Vec<u8>, EncoderError> {
    let mut builder = Builder::new(config, weights)?;
    let hidden = builder.hidden(Types::First)?;
    let mix = builder.weight("lens.mix.weights", &[config.layers + 1])?;
    let scale = builder.weight("lens.mix.scale", &[1])?;
    let graph = &mut builder.graph;
    let mix = graph.node("Softmax", &[&mix], &[("axis", Attribute::Integer(0))]);
    let mix = graph.node("Mul", &[&mix, &scale], &[]);
    let mut mixed: Option<String> = None;
    for (layer, hidden) in (0..).zip(&hidden) {
        let at = graph.integers(&[layer]);
        let weight = graph.node("Gather", &[&mix, &at], &[]);
        let part = graph.node("Mul", &[hidden, &weight], &[]);
        mixed = Some(match mixed {
            Some(sum) => graph.node("Add", &[&sum, &part], &[]),
            None => part,
        });
    }
    let mixed = mixed.expect("an encoder has layers");
    let mean = mean(&mut builder, &mixed);
    output(&mut builder, &mean, config.width);
    Ok(builder.graph.into_bytes())
}

/// From embeddings of source, output and reference to the z-score `[rows, 1]`.
///
/// # Errors
/// As for [`sentence`].
pub(super) fn regressor(
    config: &Config,
    size: LensSize,
    weights: &Weights,
) -> Result<Vec<u8>, EncoderError> {
    let mut builder = Builder::new(config, weights)?;
    let width = size.width.to_string();
    for name in TRIPLE {
        let shape = ["rows", &width];
        builder.graph.input(name, Element::Float, &shape);
    }
    let [c, s, r] = TRIPLE;
    let [s_c, far_c] = compared(&mut builder, s, c);
    let [s_r, far_r] = compared(&mut builder, s, r);
    let of_output: &[&str] = match size.features {
        Features::Seven => &[c, s, &s_c, &far_c],
        Features::Six => &[s, &s_c, &far_c],
    };
    let along = [("axis", Attribute::Integer(1))];
    let of_output = builder.graph.node("Concat", of_output, &along);
    let pair = builder.graph.node("Concat", &[&s_r, &far_r], &along);
    let [first, second] = size.hidden;
    let head = |part: &str| format!("lens.head.{part}");
    let mut sum = builder.linear(&of_output, &head("output"), size.of_output(), first)?;
    for (value, name, from) in [
        (r, "reference", size.width),
        (pair.as_str(), "pair", 2 * size.width),
    ] {
        let weight = builder.weight(&head(&format!("{name}.weight")), &[first, from])?;
        let turned = [("transB", Attribute::Integer(1))];
        let part = builder.graph.node("Gemm", &[value, &weight], &turned);
        sum = builder.graph.node("Add", &[&sum, &part], &[]);
    }
    let value = builder.graph.node("Tanh", &[&sum], &[]);
    let value = builder.linear(&value, &head("hidden"), first, second)?;
    let value = builder.graph.node("Tanh", &[&value], &[]);
    let value = builder.linear(&value, &head("last"), second, 1)?;
    output(&mut builder, &value, 1);
    Ok(builder.graph.into_bytes())
}

/// From texts of two parts to both figures `[rows, 2]`.
///
/// # Errors
/// As for [`sentence`].
pub(super) fn cross(config: &Config, weights: &Weights) -> Result<Vec<u8>, EncoderError> {
    let mut builder = Builder::new(config, weights)?;
    let hidden = builder.hidden(Types::Given)?;
    let last = hidden.last().expect("an encoder has layers");
    let mean = mean(&mut builder, last);
    let quality = builder.linear(&mean, "cross.quality", config.width, 1)?;
    let order = builder.linear(&mean, "cross.order", config.width, 1)?;
    let along = [("axis", Attribute::Integer(1))];
    let both = builder.graph.node("Concat", &[&quality, &order], &along);
    output(&mut builder, &both, 2);
    Ok(builder.graph.into_bytes())
}

/// The elementwise product of two values and their distance.
fn compared(builder: &mut Builder<'_>, one: &str, other: &str) -> [String; 2] {
    let graph = &mut builder.graph;
    let product = graph.node("Mul", &[one, other], &[]);
    let difference = graph.node("Sub", &[one, other], &[]);
    [product, graph.node("Abs", &[&difference], &[])]
}

/// The mean vector `[rows, width]` of each text's pieces, of vectors `[rows × length, width]`.
fn mean(builder: &mut Builder<'_>, vectors: &str) -> String {
    let width = i64::try_from(builder.config.width).unwrap_or(i64::MAX);
    let graph = &mut builder.graph;
    let [pieces, mask, _] = INPUTS;
    let rows = graph.node("Shape", &[pieces], &[]);
    let width = graph.integers(&[width]);
    let along = [("axis", Attribute::Integer(0))];
    let cut = graph.node("Concat", &[&rows, &width], &along);
    let vectors = graph.node("Reshape", &[vectors, &cut], &[]);
    let zero = graph.float(0.0);
    let inside = graph.node("Equal", &[mask, &zero], &[]);
    let as_float = [("to", Attribute::Integer(Element::Float as i64))];
    let inside = graph.node("Cast", &[&inside], &as_float);
    // 0 keeps the number of rows, −1 takes what is left: the length.
    let column = graph.integers(&[0, -1, 1]);
    let inside = graph.node("Reshape", &[&inside, &column], &[]);
    let places = graph.integers(&[1]);
    let flat = [("keepdims", Attribute::Integer(0))];
    let kept = graph.node("Mul", &[&vectors, &inside], &[]);
    let sum = graph.node("ReduceSum", &[&kept, &places], &flat);
    let count = graph.node("ReduceSum", &[&inside, &places], &flat);
    graph.node("Div", &[&sum, &count], &[])
}

fn output(builder: &mut Builder<'_>, value: &str, columns: usize) {
    let shape = ["rows", &columns.to_string()];
    builder
        .graph
        .output(value, "result", Element::Float, &shape);
}
