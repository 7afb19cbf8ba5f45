//! Cosines between the word vectors of two texts.

use domain::text::align::grid::{ENCODER_LAYERS, LayerCosines};

use crate::encoder::EncodedText;

/// The cosines of each word of one text with each of the other, for as many layers as a grid
/// has. Of encoders with another number of layers, evenly spread ones are used. A vector of length
/// 0 has cosine 0 with all.
pub(super) fn compute_cosines(source: &EncodedText, output: &EncodedText) -> LayerCosines {
    (0..ENCODER_LAYERS)
        .map(|at| {
            let layer = nearest_layer(source, at);
            let (sources, outputs) = (unit_vectors(source, layer), unit_vectors(output, layer));
            let row = |one: &Vec<f32>| -> Vec<f32> {
                outputs.iter().map(|other| dot(one, other)).collect()
            };
            sources.iter().flat_map(row).collect()
        })
        .collect()
}

/// The layer of an encoder that corresponds to layer `at` of the default one, which has
/// [`ENCODER_LAYERS`].
pub(crate) fn nearest_layer(text: &EncodedText, at: usize) -> usize {
    (at * (text.layers() - 1) + (ENCODER_LAYERS - 1) / 2) / (ENCODER_LAYERS - 1)
}

/// A layer's vectors at length 1.
pub(crate) fn unit_vectors(text: &EncodedText, layer: usize) -> Vec<Vec<f32>> {
    let unit = |word| {
        let vector = text.vector(layer, word);
        let length = dot(vector, vector).sqrt();
        let scale = if length > 0.0 { length.recip() } else { 0.0 };
        vector.iter().map(|value| value * scale).collect()
    };
    (0..text.words()).map(unit).collect()
}

/// The dot product, in eight sums, which the compiler vectorises.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a_parts, a_rest), (b_parts, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    let mut sums = [0.0_f32; 8];
    for (a, b) in a_parts.iter().zip(b_parts) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    rest + sums.iter().sum::<f32>()
}
