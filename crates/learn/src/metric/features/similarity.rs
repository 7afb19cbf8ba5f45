//! Features of an output's similarity in meaning to another text, by an encoder.

use super::{
    FeatureRow,
    text::{FeatureText, TEXT_LAYERS, WORD_LAYERS},
};
use crate::aligner::cosines::{dot, dot_many};

/// The closest word of the other text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WordMatch {
    /// Its index; 0 if no cosine is above 0.
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

/// The matches of each of [`WORD_LAYERS`].
pub(super) type TextMatches = [LayerMatches; WORD_LAYERS.len()];

/// Matches the words of two texts in each of [`WORD_LAYERS`]; `None` without an encoder.
pub(super) fn match_texts(other: &FeatureText, output: &FeatureText) -> Option<TextMatches> {
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

/// Adds precision, recall and F1 of words matched by their vectors, the worst match of an output's word, and cosines of
/// whole texts. Adds nothing without an encoder.
pub(super) fn add(
    row: &mut FeatureRow,
    other: &FeatureText,
    output: &FeatureText,
    matches: Option<&TextMatches>,
) {
    let (Some(from), Some(to)) = (&other.vectors, &output.vectors) else {
        return;
    };

    for LayerMatches {
        layer,
        of_other: recall,
        of_output: precision,
    } in matches.into_iter().flatten()
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

        row.add(format_args!("words, precision, layer {layer}"), p);
        row.add(format_args!("words, recall, layer {layer}"), r);
        row.add(format_args!("words, F1, layer {layer}"), f1);

        row.add(
            format_args!("content words, precision, layer {layer}"),
            compute_weighted_mean(precision, |at| content_weight(output, at)),
        );
        row.add(
            format_args!("content words, recall, layer {layer}"),
            compute_weighted_mean(recall, |at| content_weight(other, at)),
        );

        let worst = precision.iter().map(|closest| closest.cosine);
        row.add(
            format_args!("worst match, layer {layer}"),
            f64::from(worst.fold(1.0, f32::min)),
        );
    }

    for (at, layer) in TEXT_LAYERS.iter().enumerate() {
        row.add(
            format_args!("cosine, layer {layer}"),
            f64::from(dot(&from.whole[at], &to.whole[at])),
        );
    }
}

/// The weight of a token, by its rarity; 0 for one that is not a known word.
fn content_weight(text: &FeatureText, at: usize) -> f64 {
    text.zipf[at].map_or(0.0, |zipf| (8.0 - zipf).max(0.0))
}

/// The closest word of each word in the other text, for both texts.
fn match_words(one: &[Vec<f32>], other: &[Vec<f32>]) -> (Vec<WordMatch>, Vec<WordMatch>) {
    let none = WordMatch {
        word: 0,
        cosine: 0.0,
    };
    let mut of_one = vec![none; one.len()];
    let mut of_other = vec![none; other.len()];

    let mut compare = |from: usize, to: usize, cosine: f32| {
        if cosine > of_one[from].cosine {
            of_one[from] = WordMatch { word: to, cosine };
        }
        if cosine > of_other[to].cosine {
            of_other[to] = WordMatch { word: from, cosine };
        }
    };

    let (fours, rest) = other.as_chunks::<4>();
    for (from, a) in one.iter().enumerate() {
        for (at, b) in fours.iter().enumerate() {
            let cosines = dot_many(a, b.each_ref().map(Vec::as_slice));
            for (to, cosine) in (4 * at..).zip(cosines) {
                compare(from, to, cosine);
            }
        }
        for (to, b) in (4 * fours.len()..).zip(rest) {
            compare(from, to, dot(a, b));
        }
    }
    (of_one, of_other)
}

/// The weighted mean of cosines; 0 without weight.
fn compute_weighted_mean(matches: &[WordMatch], weight: impl Fn(usize) -> f64) -> f64 {
    let weighted = matches.iter().enumerate();
    let (sum, all) = weighted.fold((0.0, 0.0), |(sum, all), (at, closest)| {
        let weight = weight(at);
        (sum + weight * f64::from(closest.cosine), all + weight)
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
