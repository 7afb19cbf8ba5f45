//! The share of an output that is copied from its source.

use std::collections::HashMap;

use super::signature::{LetterCase, MetricSignature, ReferenceCount};
use crate::text::tokenise::split_words;

/// The share of the output's words that are words of its source, from 0 to 1: each word of the source
/// matches at most once. Lower-cased, without punctuation. `None` for an output without words.
#[must_use]
pub fn copy_rate(source: &str, output: &str) -> Option<f64> {
    let mut unmatched: HashMap<String, usize> = HashMap::new();
    for word in split_words(source) {
        *unmatched.entry(word.to_lowercase()).or_default() += 1;
    }

    let output = split_words(output);
    let mut copied = 0;
    for word in &output {
        let count = unmatched.get_mut(&word.to_lowercase());
        if let Some(count) = count.filter(|count| **count > 0) {
            *count -= 1;
            copied += 1;
        }
    }
    (!output.is_empty()).then(|| f64::from(copied) / output.len() as f64)
}

/// The signature of [`fn@copy_rate`].
#[must_use]
pub fn copy_rate_signature() -> MetricSignature {
    MetricSignature::new(
        "copy-rate",
        "words-of-source",
        "rankrate",
        LetterCase::Lower,
        ReferenceCount::Each(0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_of_the_source_serves_once() {
        assert_eq!(
            copy_rate("The old boat sank.", "The boat, the boat!"),
            Some(0.5)
        );
        assert_eq!(copy_rate("A b.", "a B"), Some(1.0));
        assert_eq!(copy_rate("A b.", "..."), None);
    }
}
