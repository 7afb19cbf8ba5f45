//! Features of whether an output changes its source where a reference does.

use std::collections::HashSet;

use super::{FeatureRow, readability::ratio, text::FeatureText};
use crate::aligner::cosines::dot;

/// The layer, among [`WORD_LAYERS`](super::text::WORD_LAYERS), in which similarity is computed.
const LAYER: usize = 1;

/// Adds how far the words that the output adds and takes away are those that the reference does: word
/// for word, and, with an encoder, by meaning.
pub(super) fn add(
    row: &mut FeatureRow,
    source: &FeatureText,
    reference: &FeatureText,
    output: &FeatureText,
) {
    let (new, wanted) = (
        find_new_words(output, source),
        find_new_words(reference, source),
    );
    let (gone, unwanted) = (
        find_new_words(source, output),
        find_new_words(source, reference),
    );
    row.add(
        "new words, precision",
        compute_shared_ratio(output, &new, reference),
    );
    row.add(
        "new words, recall",
        compute_shared_ratio(reference, &wanted, output),
    );
    row.add(
        "deleted words, precision",
        1.0 - compute_shared_ratio(source, &gone, reference),
    );
    row.add(
        "deleted words, recall",
        1.0 - compute_shared_ratio(source, &unwanted, output),
    );
    if let (Some(source), Some(reference), Some(output)) =
        (&source.vectors, &reference.vectors, &output.vectors)
    {
        let words = |text: &super::text::TextVectors| text.words[LAYER].clone();
        let (source, reference, output) = (words(source), words(reference), words(output));
        row.add(
            "new words, likeness",
            compute_mean_similarity(&output, &new, &reference),
        );
        row.add(
            "wanted words, likeness",
            compute_mean_similarity(&reference, &wanted, &output),
        );
        row.add(
            "deleted words, likeness",
            compute_mean_similarity(&source, &gone, &reference),
        );
        row.add(
            "unwanted words, likeness",
            compute_mean_similarity(&source, &unwanted, &output),
        );
    }
}

/// The words of a text that are not in another one.
fn find_new_words(text: &FeatureText, other: &FeatureText) -> Vec<usize> {
    let other_words: HashSet<&str> = other.folded.iter().map(String::as_str).collect();
    let new =
        |at: &usize| text.zipf[*at].is_some() && !other_words.contains(text.folded[*at].as_str());
    (0..text.cut.len()).filter(new).collect()
}

/// The share of some words of a text that are in another one; 0.5 of no words.
fn compute_shared_ratio(text: &FeatureText, words: &[usize], other: &FeatureText) -> f64 {
    if words.is_empty() {
        return 0.5;
    }
    let other_words: HashSet<&str> = other.folded.iter().map(String::as_str).collect();
    let shared_words = words
        .iter()
        .filter(|at| other_words.contains(text.folded[**at].as_str()));
    ratio(shared_words.count(), words.len())
}

/// The mean, over some words of a text, of the greatest cosine with a word of another; 0.5 of no words.
fn compute_mean_similarity(text: &[Vec<f32>], words: &[usize], other: &[Vec<f32>]) -> f64 {
    if words.is_empty() {
        return 0.5;
    }
    let best = |at: &usize| {
        let cosines = other.iter().map(|word| dot(&text[*at], word));
        f64::from(cosines.fold(0.0, f32::max))
    };
    words.iter().map(best).sum::<f64>() / super::readability::to_float(words.len())
}
