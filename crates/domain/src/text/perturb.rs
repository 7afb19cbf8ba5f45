//! Quality-control outputs, for which the ratings of an attentive rater are known in advance.

use serde::{Deserialize, Serialize};

use super::tokenise::{TokenKind, tokenise};
use crate::random::SeededRandom;

/// The perturbation that makes a quality-control output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Perturbation {
    /// The unchanged source: meaning is preserved and nothing is simpler.
    Copy,
    /// An output with its words scrambled: it is incomprehensible.
    Scramble,
}

/// The quality-control output made from an output of `source`; the same for the same seed.
///
/// Scrambling changes every text that has two different words.
#[must_use]
pub fn perturb(perturbation: Perturbation, source: &str, output: &str, seed: u64) -> String {
    match perturbation {
        Perturbation::Copy => source.to_owned(),
        Perturbation::Scramble => scramble(output, seed),
    }
}

/// `text` with its words and numbers shuffled; punctuation and white space stay in place.
fn scramble(text: &str, seed: u64) -> String {
    let places: Vec<_> = tokenise(text)
        .into_iter()
        .filter(|token| token.kind != TokenKind::Sign)
        .map(|t| t.span)
        .collect();
    let words: Vec<&str> = places.iter().filter_map(|span| span.slice(text)).collect();

    let mut shuffled = words.clone();
    SeededRandom::new(seed).shuffle(&mut shuffled);
    if shuffled == words
        && let Some(other) = words.iter().position(|word| *word != words[0])
    {
        shuffled.swap(0, other);
    }

    let mut scrambled = String::with_capacity(text.len());
    let mut copied = 0;
    for (place, word) in places.iter().zip(shuffled) {
        scrambled.push_str(&text[copied..place.start]);
        scrambled.push_str(word);
        copied = place.end;
    }
    scrambled.push_str(&text[copied..]);
    scrambled
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_copy_is_the_source_and_a_scramble_keeps_the_signs() {
        assert_eq!(
            perturb(Perturbation::Copy, "Old boats.", "Ships.", 1),
            "Old boats."
        );
        let scrambled = perturb(Perturbation::Scramble, "", "One, two.", 1);
        assert_eq!(scrambled, "two, One.");
    }

    proptest! {
        #[test]
        fn scrambled_words_are_the_same_in_another_order(text in "[a-c ,.]{0,40}|\\PC{0,40}", seed: u64) {
            let scrambled = perturb(Perturbation::Scramble, "", &text, seed);
            prop_assert_eq!(&scrambled, &perturb(Perturbation::Scramble, "", &text, seed));
            let sorted = |text: &str| {
                let mut letters: Vec<char> = text.chars().collect();
                letters.sort_unstable();
                letters
            };
            prop_assert_eq!(sorted(&scrambled), sorted(&text));
            let words: Vec<String> = tokenise(&text)
                .iter()
                .filter(|t| t.kind != TokenKind::Sign)
                .filter_map(|t| t.span.slice(&text).map(str::to_owned))
                .collect();
            prop_assert_eq!(scrambled != text, words.iter().any(|word| *word != words[0]));
        }
    }
}
