//! Flesch-Kincaid grade level.

use super::{
    prepared_source::{split_words, tokenise_13a},
    signature::{LetterCase, MetricSignature, ReferenceCount},
    syllables::syllables,
};
use crate::text::sentences::split_sentences;

/// The grade level of a text as EASSE 0.2.4 gives it, in years of school, 0 or more; larger is harder.
/// Words are 13a's tokens, punctuation included, lower-cased; syllables are counted by
/// [`fn@syllables`]. 0 for an empty text.
///
/// A low grade alone does not make a good simplification: scrambled words have the same one.
#[must_use]
pub fn fkgl(text: &str) -> f64 {
    FkglCounts::new(text).fkgl()
}

/// The signature of [`fn@fkgl`].
#[must_use]
pub fn fkgl_signature() -> MetricSignature {
    let variant = "easse-syllables:nltk-contrib";
    MetricSignature::new(
        "fkgl",
        variant,
        "13a",
        LetterCase::Lower,
        ReferenceCount::Each(0),
    )
}

/// The counts from which the grade level is computed; they add up over texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FkglCounts {
    /// Tokens, punctuation included.
    pub words: u64,
    /// The syllables of all tokens; a few odd tokens count −1.
    pub syllables: i64,
    /// The sentences.
    pub sentences: u64,
}

impl FkglCounts {
    /// The counts of a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let cut = tokenise_13a(text, LetterCase::Lower);
        Self {
            words: split_words(&cut).count() as u64,
            syllables: split_words(&cut).map(syllables).sum(),
            sentences: split_sentences(&cut).len() as u64,
        }
    }

    /// The sum of both counts.
    #[must_use]
    pub fn plus(self, other: &Self) -> Self {
        Self {
            words: self.words + other.words,
            syllables: self.syllables + other.syllables,
            sentences: self.sentences + other.sentences,
        }
    }

    /// The grade level from the counts (Kincaid et al. 1975), 0 without words.
    #[must_use]
    pub fn fkgl(&self) -> f64 {
        if self.words == 0 || self.sentences == 0 {
            return 0.0;
        }
        let words = self.words as f64;
        let grade =
            0.39 * (words / self.sentences as f64) + 11.8 * (self.syllables as f64 / words) - 15.59;
        grade.max(0.0)
    }
}
