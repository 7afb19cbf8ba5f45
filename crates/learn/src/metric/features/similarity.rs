//! Features of an output's similarity in meaning to another text, by an encoder.

use super::{
    FeatureRow,
    text::{FeatureText, TEXT_LAYERS, WORD_LAYERS},
};
use crate::aligner::cosines::dot;

/// Adds precision, recall and F1 of words matched by their vectors, the worst match of a source
/// word that carries content, and cosines of whole texts. Nothing without an encoder.
pub(super) fn add(row: &mut FeatureRow, other: &FeatureText, output: &FeatureText) {
    let (Some(from), Some(to)) = (&other.vectors, &output.vectors) else {
        return;
    };
    for (at, layer) in WORD_LAYERS.iter().enumerate() {
        let (recall, precision) = match_words(&from.words[at], &to.words[at]);
        let (p, r) = (
            compute_weighted_mean(&precision, |_| 1.0),
            compute_weighted_mean(&recall, |_| 1.0),
        );
        let f1 = if p + r > 0.0 {
            2.0 * p * r / (p + r)
        } else {
            0.0
        };
        row.add(&format!("words, precision, layer {layer}"), p);
        row.add(&format!("words, recall, layer {layer}"), r);
        row.add(&format!("words, F1, layer {layer}"), f1);
        let content =
            |text: &FeatureText, at: usize| text.zipf[at].map_or(0.0, |zipf| (8.0 - zipf).max(0.0));
        row.add(
            &format!("content words, precision, layer {layer}"),
            compute_weighted_mean(&precision, |at| content(output, at)),
        );
        row.add(
            &format!("content words, recall, layer {layer}"),
            compute_weighted_mean(&recall, |at| content(other, at)),
        );
        let worst = |matched: &[f32]| matched.iter().copied().fold(1.0, f32::min);
        row.add(
            &format!("worst match, layer {layer}"),
            f64::from(worst(&precision)),
        );
    }
    for (at, layer) in TEXT_LAYERS.iter().enumerate() {
        row.add(
            &format!("cosine, layer {layer}"),
            f64::from(dot(&from.whole[at], &to.whole[at])),
        );
    }
}

/// The greatest cosine of each word with one of the other text's, for both texts.
fn match_words(one: &[Vec<f32>], other: &[Vec<f32>]) -> (Vec<f32>, Vec<f32>) {
    let mut of_one = vec![0.0_f32; one.len()];
    let mut of_other = vec![0.0_f32; other.len()];
    for (a, best_a) in one.iter().zip(&mut of_one) {
        for (b, best_b) in other.iter().zip(&mut of_other) {
            let cosine = dot(a, b);
            *best_a = best_a.max(cosine);
            *best_b = best_b.max(cosine);
        }
    }
    (of_one, of_other)
}

/// The weighted mean; 0 of nothing.
fn compute_weighted_mean(values: &[f32], weight: impl Fn(usize) -> f64) -> f64 {
    let weighted = values.iter().enumerate();
    let (sum, all) = weighted.fold((0.0, 0.0), |(sum, all), (at, value)| {
        let weight = weight(at);
        (sum + weight * f64::from(*value), all + weight)
    });
    if all > 0.0 { sum / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_matched_with_the_closest() {
        let one = [vec![1.0, 0.0], vec![0.0, 1.0]];
        let other = [vec![0.6, 0.8]];
        let (of_one, of_other) = match_words(&one, &other);
        assert_eq!(of_one, [0.6, 0.8]);
        assert_eq!(of_other, [0.8]);
        assert!((compute_weighted_mean(&of_one, |_| 1.0) - 0.7).abs() < 1e-6);
        assert!(compute_weighted_mean(&[], |_| 1.0).abs() < 1e-12);
    }
}
