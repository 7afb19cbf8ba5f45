//! Features of whether an output changes its source as a reference does.

use super::{
    FeatureRow,
    compared_text::ComparedText,
    readability::{ratio, to_float},
    similarity::{TextMatches, WordMatch},
};

/// The layer, among [`WORD_LAYERS`](super::text::WORD_LAYERS), in which similarity is computed.
const LAYER: usize = 1;

/// The words in which a text differs from its source.
pub(super) struct EditedWords {
    /// Words of the text that the source lacks.
    added: Vec<usize>,
    /// Words of the source that the text lacks.
    deleted: Vec<usize>,
}

impl EditedWords {
    pub(super) fn new(source: &ComparedText<'_>, text: &ComparedText<'_>) -> Self {
        Self {
            added: find_new_words(text, source),
            deleted: find_new_words(source, text),
        }
    }
}

/// A text with its changes to its source.
#[derive(Clone, Copy)]
pub(super) struct EditedText<'a> {
    pub(super) text: &'a ComparedText<'a>,
    pub(super) words: &'a EditedWords,
    /// The closest words of the text and of the source; `None` without an encoder.
    pub(super) matches: Option<&'a TextMatches>,
}

/// Adds the agreement of the words that the output adds and deletes with those of the reference: word for word and,
/// with an encoder, by meaning. `matches` are the closest words of reference and output. In the output's matches with
/// the source, the source is the other text; in the reference's matches, it is the text compared with the reference.
pub(super) fn add(
    row: &mut FeatureRow,
    source: &ComparedText<'_>,
    reference: EditedText<'_>,
    output: EditedText<'_>,
    matches: Option<&TextMatches>,
) {
    let (new, wanted) = (&output.words.added, &reference.words.added);
    let (gone, unwanted) = (&output.words.deleted, &reference.words.deleted);

    row.add(
        "new words, precision",
        compute_shared_ratio(output.text, new, reference.text),
    );
    row.add(
        "new words, recall",
        compute_shared_ratio(reference.text, wanted, output.text),
    );
    row.add(
        "deleted words, precision",
        1.0 - compute_shared_ratio(source, gone, reference.text),
    );
    row.add(
        "deleted words, recall",
        1.0 - compute_shared_ratio(source, unwanted, output.text),
    );

    if let (Some(of_reference), Some(of_output), Some(both)) =
        (reference.matches, output.matches, matches)
    {
        row.add(
            "new words, likeness",
            compute_mean_similarity(&both[LAYER].of_output, new),
        );
        row.add(
            "wanted words, likeness",
            compute_mean_similarity(&both[LAYER].of_other, wanted),
        );
        row.add(
            "deleted words, likeness",
            compute_mean_similarity(&of_reference[LAYER].of_output, gone),
        );
        row.add(
            "unwanted words, likeness",
            compute_mean_similarity(&of_output[LAYER].of_other, unwanted),
        );
    }
}

/// The words of a text that are not in another one.
fn find_new_words(text: &ComparedText<'_>, other: &ComparedText<'_>) -> Vec<usize> {
    (0..text.words.len())
        .filter(|at| text.text.zipf[*at].is_some() && !other.contains(text.words[*at]))
        .collect()
}

/// The share of some words of a text that are in another one; 0.5 without words.
fn compute_shared_ratio(text: &ComparedText<'_>, words: &[usize], other: &ComparedText<'_>) -> f64 {
    if words.is_empty() {
        return 0.5;
    }
    let shared = words.iter().filter(|at| other.contains(text.words[**at]));
    ratio(shared.count(), words.len())
}

/// The mean, over some words of a text, of the cosine with the closest word of another; 0.5 without words.
fn compute_mean_similarity(matches: &[WordMatch], words: &[usize]) -> f64 {
    if words.is_empty() {
        return 0.5;
    }
    let cosines = words.iter().map(|at| f64::from(matches[*at].cosine));
    cosines.sum::<f64>() / to_float(words.len())
}
