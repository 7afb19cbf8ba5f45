//! The cross-encoder's head: from source and output, encoded together, to two predictions.

use tensor::{Draw, Tensor, WeightSpec, Weights};

/// Linear maps of the mean vector of a text pair's pieces: to the z-score, and to the ranking score among good outputs
/// of one source.
const MAPS: [&str; 2] = ["quality", "order"];

/// The head's weights for vectors of `width` elements.
pub(crate) fn weights(width: usize) -> Vec<WeightSpec> {
    let maps = MAPS.map(|name| WeightSpec::linear(name, width, 1, Draw::Normal(0.02)));
    maps.concat()
}

/// Both predictions for each pair, `[pairs, 1]`, from the pairs' vectors `[pairs, width]`.
pub(crate) fn predict(head: &Weights, pairs: &Tensor) -> [Tensor; 2] {
    MAPS.map(|name| head.linear(name, pairs))
}
