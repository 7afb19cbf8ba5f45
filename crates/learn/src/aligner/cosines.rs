//! Cosines between the word vectors of two texts.

use domain::text::align::grid::{ENCODER_LAYERS, LayerCosines};

use crate::encoder::EncodedText;

/// The cosines of each word of one text with each of the other, for as many layers as a grid has. An encoder with
/// another number of layers contributes evenly spaced ones. A vector of length 0 has cosine 0 with all.
pub(super) fn compute_cosines(source: &EncodedText, output: &EncodedText) -> LayerCosines {
    (0..ENCODER_LAYERS)
        .map(|at| {
            let layer = nearest_layer(source, at);
            let (sources, outputs) = (unit_vectors(source, layer), unit_vectors(output, layer));
            sources
                .iter()
                .flat_map(|one| outputs.iter().map(move |other| dot(one, other)))
                .collect()
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
    (0..text.words())
        .map(|word| {
            let vector = text.vector(layer, word);
            let length = dot(vector, vector).sqrt();
            let scale = if length > 0.0 { length.recip() } else { 0.0 };
            vector.iter().map(|value| value * scale).collect()
        })
        .collect()
}

/// The dot products of a vector with others of the same length, each the same to the last digit as [`dot`]. Their sums do
/// not wait for each other, as those of a single one do.
pub(crate) fn dot_many<const N: usize>(a: &[f32], others: [&[f32]; N]) -> [f32; N] {
    let (a_parts, a_rest) = a.as_chunks::<8>();
    let other_parts = others.map(|b| {
        let (b_parts, b_rest) = b.as_chunks::<8>();
        (&b_parts[..a_parts.len()], b_rest)
    });

    let mut sums = [[0.0_f32; 8]; N];
    for (at, a) in a_parts.iter().enumerate() {
        for ((b_parts, _), sums) in other_parts.iter().zip(&mut sums) {
            for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(&b_parts[at])) {
                *sum += a * b;
            }
        }
    }

    std::array::from_fn(|n| {
        let rest: f32 = a_rest
            .iter()
            .zip(other_parts[n].1)
            .map(|(a, b)| a * b)
            .sum();
        rest + sums[n].iter().sum::<f32>()
    })
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn several_products_are_those_of_each(
            (a, others) in (0..70_usize).prop_flat_map(|length| {
                let vector = prop::collection::vec(-1.0_f32..1.0, length);
                (vector.clone(), prop::array::uniform4(vector))
            }),
        ) {
            let each = others.each_ref().map(|b| dot(&a, b).to_bits());
            let many = dot_many(&a, others.each_ref().map(Vec::as_slice));
            prop_assert_eq!(many.map(f32::to_bits), each);
        }
    }
}
