//! Whether an output changes its source where a reference does.

use std::collections::HashSet;

use super::{Row, alone::ratio, text::Text};
use crate::aligner::cosines::dot;

/// The layer, of those in which words are matched, that likeness is looked up in.
const LAYER: usize = 1;

/// Adds how far the words that the output adds and takes away are those that the reference does: word
/// for word, and, with an encoder, by meaning.
pub(super) fn add(row: &mut Row, source: &Text, reference: &Text, output: &Text) {
    let (new, wanted) = (beyond(output, source), beyond(reference, source));
    let (gone, unwanted) = (beyond(source, output), beyond(source, reference));
    row.add("new words, precision", shared(output, &new, reference));
    row.add("new words, recall", shared(reference, &wanted, output));
    row.add(
        "deleted words, precision",
        1.0 - shared(source, &gone, reference),
    );
    row.add(
        "deleted words, recall",
        1.0 - shared(source, &unwanted, output),
    );
    if let (Some(source), Some(reference), Some(output)) =
        (&source.vectors, &reference.vectors, &output.vectors)
    {
        let words = |text: &super::text::Vectors| text.words[LAYER].clone();
        let (source, reference, output) = (words(source), words(reference), words(output));
        row.add("new words, likeness", alike(&output, &new, &reference));
        row.add(
            "wanted words, likeness",
            alike(&reference, &wanted, &output),
        );
        row.add("deleted words, likeness", alike(&source, &gone, &reference));
        row.add(
            "unwanted words, likeness",
            alike(&source, &unwanted, &output),
        );
    }
}

/// The words of a text that another one does not have.
fn beyond(text: &Text, other: &Text) -> Vec<usize> {
    let known: HashSet<&str> = other.folded.iter().map(String::as_str).collect();
    let new = |at: &usize| text.zipf[*at].is_some() && !known.contains(text.folded[*at].as_str());
    (0..text.cut.len()).filter(new).collect()
}

/// The share of some words of a text that another one has; a half of none.
fn shared(text: &Text, words: &[usize], other: &Text) -> f64 {
    if words.is_empty() {
        return 0.5;
    }
    let known: HashSet<&str> = other.folded.iter().map(String::as_str).collect();
    let found = words
        .iter()
        .filter(|at| known.contains(text.folded[**at].as_str()));
    ratio(found.count(), words.len())
}

/// The mean, over some words of a text, of the greatest cosine with a word of another; a half of none.
fn alike(text: &[Vec<f32>], words: &[usize], other: &[Vec<f32>]) -> f64 {
    if words.is_empty() {
        return 0.5;
    }
    let best = |at: &usize| {
        let cosines = other.iter().map(|word| dot(&text[*at], word));
        f64::from(cosines.fold(0.0, f32::max))
    };
    words.iter().map(best).sum::<f64>() / super::alone::number(words.len())
}
