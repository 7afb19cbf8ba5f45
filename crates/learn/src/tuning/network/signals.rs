//! The head of pre-training: from source and output, encoded together, to synthetic signals.

use tensor::{Draw, Tensor, WeightSpec, Weights};

/// A linear map to each signal, of the vector of a text pair.
const MAP: &str = "signals";

/// The head's weights for vectors of `width` elements.
pub(crate) fn weights(width: usize, signals: usize) -> Vec<WeightSpec> {
    WeightSpec::linear(MAP, width, signals, Draw::Normal(0.02)).into()
}

/// The signals of each pair, `[pairs, signals]`, from the pairs' vectors `[pairs, width]`.
pub(crate) fn predict(head: &Weights, pairs: &Tensor) -> Tensor {
    head.linear(MAP, pairs)
}
