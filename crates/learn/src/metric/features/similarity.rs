//! Features of an output's similarity in meaning to another text, by an encoder.

use super::{
    FeatureRow,
    text::{FeatureText, TEXT_LAYERS, WORD_LAYERS},
};
use crate::aligner::cosines::dot;

/// The closest word of the other text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WordMatch {
    /// Its index; 0 where no cosine is above 0.
    pub(super) word: usize,
    /// The cosine of both words, 0 or more.
    pub(super) cosine: f32,
}

/// The words of two texts, each with the closest one of the other text by the vectors of a layer.
#[derive(Debug)]
pub(super) struct LayerMatches {
    pub(super) layer: usize,
    pub(super) of_other: Vec<WordMatch>,
    pub(super) of_output: Vec<WordMatch>,
}

/// Matches the words of two texts in each of [`WORD_LAYERS`]; `None` without an encoder.
pub(super) fn match_texts(
    other: &FeatureText,
    output: &FeatureText,
) -> Option<[LayerMatches; WORD_LAYERS.len()]> {
    let (from, to) = (other.vectors.as_ref()?, output.vectors.as_ref()?);
    Some(std::array::from_fn(|at| {
        let (of_other, of_output) = match_words(&from.words[at], &to.words[at]);
        LayerMatches {
            layer: WORD_LAYERS[at],
            of_other,
            of_output,
        }
    }))
}

/// Adds precision, recall and F1 of words matched by their vectors, the worst match of a source
/// word that carries content, and cosines of whole texts. Nothing without an encoder.
pub(super) fn add(
    row: &mut FeatureRow,
    other: &FeatureText,
    output: &FeatureText,
    matches: Option<&[LayerMatches]>,
) {
    let (Some(from), Some(to)) = (&other.vectors, &output.vectors) else {
        return;
    };
    for LayerMatches {
        layer,
        of_other: recall,
        of_output: precision,
    } in matches.unwrap_or_default()
    {
        let (p, r) = (
            compute_weighted_mean(precision, |_| 1.0),
            compute_weighted_mean(recall, |_| 1.0),
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
            compute_weighted_mean(precision, |at| content(output, at)),
        );
        row.add(
            &format!("content words, recall, layer {layer}"),
            compute_weighted_mean(recall, |at| content(other, at)),
        );
        let worst = precision.iter().map(|found| found.cosine);
        row.add(
            &format!("worst match, layer {layer}"),
            f64::from(worst.fold(1.0, f32::min)),
        );
    }
    for (at, layer) in TEXT_LAYERS.iter().enumerate() {
        row.add(
            &format!("cosine, layer {layer}"),
            f64::from(dot(&from.whole[at], &to.whole[at])),
        );
    }
}

/// The closest word of each word in the other text, for both texts.
fn match_words(one: &[Vec<f32>], other: &[Vec<f32>]) -> (Vec<WordMatch>, Vec<WordMatch>) {
    let none = WordMatch {
        word: 0,
        cosine: 0.0,
    };
    let mut of_one = vec![none; one.len()];
    let mut of_other = vec![none; other.len()];
    for (from, (a, best_a)) in one.iter().zip(&mut of_one).enumerate() {
        for (to, (b, best_b)) in other.iter().zip(&mut of_other).enumerate() {
            let cosine = dot(a, b);
            if cosine > best_a.cosine {
                *best_a = WordMatch { word: to, cosine };
            }
            if cosine > best_b.cosine {
                *best_b = WordMatch { word: from, cosine };
            }
        }
    }
    (of_one, of_other)
}

/// The weighted mean of cosines; 0 of nothing.
fn compute_weighted_mean(matches: &[WordMatch], weight: impl Fn(usize) -> f64) -> f64 {
    let weighted = matches.iter().enumerate();
    let (sum, all) = weighted.fold((0.0, 0.0), |(sum, all), (at, found)| {
        let weight = weight(at);
        (sum + weight * f64::from(found.cosine), all + weight)
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
        let found = |word, cosine| WordMatch { word, cosine };
        assert_eq!(of_one, [found(0, 0.6), found(0, 0.8)]);
        assert_eq!(of_other, [found(1, 0.8)]);
        assert!((compute_weighted_mean(&of_one, |_| 1.0) - 0.7).abs() < 1e-6);
        assert!(compute_weighted_mean(&[], |_| 1.0).abs() < 1e-12);
    }
}
