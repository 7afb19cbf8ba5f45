//! The similarity of two texts by characters.

use std::fmt;

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

/// A text whose characters are indexed once, to be compared with many others.
pub struct IndexedCharacters {
    indel: indel::BatchComparator<char>,
    edits: edits::BatchComparator<char>,
}

impl IndexedCharacters {
    /// Indexes a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self {
            indel: indel::BatchComparator::new(text.chars()),
            edits: edits::BatchComparator::new(text.chars()),
        }
    }

    /// The same as [`levenshtein_ratio`] of both texts.
    #[must_use]
    pub fn levenshtein_ratio(&self, other: &str) -> f64 {
        self.indel.normalized_similarity(other.chars())
    }

    /// The same as [`edit_distance`] of both texts.
    #[must_use]
    pub fn edit_distance(&self, other: &str) -> f64 {
        self.edits.normalized_distance(other.chars())
    }
}

impl fmt::Debug for IndexedCharacters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexedCharacters").finish_non_exhaustive()
    }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_indexed_text_is_as_far_from_others(
            one in "[ab é]{0,90}|\\PC{0,20}", other in "[ab é]{0,90}|\\PC{0,20}",
        ) {
            let indexed = IndexedCharacters::new(&one);
            let ratio = levenshtein_ratio(&one, &other);
            prop_assert_eq!(indexed.levenshtein_ratio(&other).to_bits(), ratio.to_bits());
            let distance = edit_distance(&one, &other);
            prop_assert_eq!(indexed.edit_distance(&other).to_bits(), distance.to_bits());
        }
    }
}
