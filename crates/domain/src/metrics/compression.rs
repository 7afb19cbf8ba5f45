//! How long an output is, against its source.

use super::{
    signature::{Case, References, Signature},
    tokens::treebank_words,
};

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Length {
    /// Characters (Unicode's code points).
    #[default]
    Characters,
    /// What white space separates.
    Words,
    /// Penn Treebank's tokens.
    Tokens,
}

impl Length {
    fn of(self, text: &str) -> usize {
        match self {
            Self::Characters => text.chars().count(),
            Self::Words => text.split_whitespace().count(),
            Self::Tokens => treebank_words(text).len(),
        }
    }
}

/// The output's length divided by the source's, 0 or more; 1 is as long. `None` of an empty source.
#[must_use]
pub fn compression(source: &str, output: &str, length: Length) -> Option<f64> {
    let whole = length.of(source);
    (whole > 0).then(|| length.of(output) as f64 / whole as f64)
}

/// The signature of [`fn@compression`].
#[must_use]
pub fn compression_signature(length: Length) -> Signature {
    let tokeniser = match length {
        Length::Characters => "characters",
        Length::Words => "white-space",
        Length::Tokens => "treebank",
    };
    Signature::new(
        "compression",
        "output/source",
        tokeniser,
        Case::Mixed,
        References::Each(0),
    )
}
