//! The similarity of two texts by characters.

use rapidfuzz::distance::{indel, levenshtein as edits};

use super::signature::{LetterCase, MetricSignature, ReferenceCount};

/// The indel ratio of two texts, from 0 to 1 for equal ones: 1 − d/(length of both), where d counts
/// inserted and deleted characters. It is `ratio` of Python's Levenshtein library. 1 for two empty texts.
#[must_use]
pub fn levenshtein_ratio(a: &str, b: &str) -> f64 {
    indel::normalized_similarity(a.chars(), b.chars())
}

/// The edit distance of two texts as a share, from 0 for equal ones to 1: d/(length of the longer),
/// where d counts inserted, deleted and replaced characters (Levenshtein 1966). 0 for two empty texts.
#[must_use]
pub fn edit_distance(a: &str, b: &str) -> f64 {
    edits::normalized_distance(a.chars(), b.chars())
}

/// The signature of [`levenshtein_ratio`] to the source.
#[must_use]
pub fn levenshtein_signature() -> MetricSignature {
    let variant = "indel-ratio-to-source";
    MetricSignature::new(
        "levenshtein",
        variant,
        "characters",
        LetterCase::Mixed,
        ReferenceCount::Each(0),
    )
}

/// The signature of [`edit_distance`] to the source.
#[must_use]
pub fn edit_distance_signature() -> MetricSignature {
    let variant = "normalised-to-source";
    MetricSignature::new(
        "edit-distance",
        variant,
        "characters",
        LetterCase::Mixed,
        ReferenceCount::Each(0),
    )
}
