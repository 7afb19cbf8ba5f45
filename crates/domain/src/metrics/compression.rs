//! The length of an output relative to its source.

use super::{
    signature::{LetterCase, MetricSignature, ReferenceCount},
    tokens::treebank_words,
};

/// The unit of length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LengthUnit {
    /// Characters (Unicode's code points).
    #[default]
    Characters,
    /// Words separated by white space.
    Words,
    /// Penn Treebank's tokens.
    Tokens,
}

impl LengthUnit {
    fn measure(self, text: &str) -> usize {
        match self {
            Self::Characters => text.chars().count(),
            Self::Words => text.split_whitespace().count(),
            Self::Tokens => treebank_words(text).len(),
        }
    }
}

/// The output's length divided by the source's, 0 or more; 1 means equal length. `None` for an empty
/// source.
#[must_use]
pub fn compression(source: &str, output: &str, length: LengthUnit) -> Option<f64> {
    let whole = length.measure(source);
    (whole > 0).then(|| length.measure(output) as f64 / whole as f64)
}

/// The signature of [`fn@compression`].
#[must_use]
pub fn compression_signature(length: LengthUnit) -> MetricSignature {
    let tokeniser = match length {
        LengthUnit::Characters => "characters",
        LengthUnit::Words => "white-space",
        LengthUnit::Tokens => "treebank",
    };
    MetricSignature::new(
        "compression",
        "output/source",
        tokeniser,
        LetterCase::Mixed,
        ReferenceCount::Each(0),
    )
}
