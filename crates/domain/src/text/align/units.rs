//! Words that two texts separate differently (`cannot`, `can not`; `Italian-French`, `Italian -
//! French`), merged so that they compare as equal.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::{AlignmentLink, similarity::WordForm};
use crate::text::{
    tokenise::{TokenKind, fold_token, normalise_token},
    tokenised_text::TokenisedText,
};

/// The most tokens that are merged into one word.
const MAX_TOKENS_PER_UNIT: usize = 6;
/// The fewest letters of such a word: shorter ones occur by chance.
const MIN_UNIT_LETTERS: usize = 4;

/// A text as words to compare, each of one token or several.
#[derive(Debug, Default)]
pub(super) struct ComparisonUnits {
    tokens: Vec<Range<usize>>,
    pub(super) forms: Vec<WordForm>,
}

impl ComparisonUnits {
    /// The units of two texts: a run of tokens of one is a unit if the other has it as a single token.
    pub(super) fn of_pair(source: &TokenisedText, output: &TokenisedText) -> (Self, Self) {
        (Self::of_text(source, output), Self::of_text(output, source))
    }

    fn of_text(text: &TokenisedText, other: &TokenisedText) -> Self {
        let mut units = Self::default();
        for (tokens, form) in join_tokens(text, other) {
            units.tokens.push(tokens);
            units.forms.push(form);
        }
        units
    }
}

/// The runs of a text's tokens that are units with another text, and all other tokens.
fn join_tokens(text: &TokenisedText, other: &TokenisedText) -> Vec<(Range<usize>, WordForm)> {
    let words = text.normalised_words();
    let own_words: FxHashSet<&str> = words.iter().map(String::as_str).collect();
    let other_words: FxHashSet<&str> = other
        .normalised_words()
        .iter()
        .map(String::as_str)
        .filter(|word| {
            word.chars().nth(MIN_UNIT_LETTERS - 1).is_some() && !own_words.contains(word)
        })
        .collect();

    let mut units = Vec::with_capacity(text.len());
    let mut start = 0;
    while start < text.len() {
        let longest = match begins_one(text.word(start), &words[start], &other_words) {
            true => (start + MAX_TOKENS_PER_UNIT).min(text.len()),
            false => start + 1,
        };

        let run = (start + 2..=longest).rev().find_map(|end| {
            let inner = text.tokens()[start].kind != TokenKind::Sign
                && text.tokens()[end - 1].kind != TokenKind::Sign;
            let word = inner.then(|| (start..end).map(|at| text.word(at)).collect::<String>())?;
            other_words
                .contains(&*normalise_token(&word))
                .then(|| (end, WordForm::new(&word)))
        });

        let (end, form) = run.unwrap_or_else(|| {
            let form = WordForm::from_normalised(text.word(start), words[start].clone());
            (start + 1, form)
        });
        units.push((start..end, form));
        start = end;
    }
    units
}

/// Whether one of the words may begin with this token, whose normalised form is `normalised`. Usually none does, and
/// no run needs to be joined.
fn begins_one(token: &str, normalised: &str, words: &FxHashSet<&str>) -> bool {
    let begins = |prefix: &str| words.iter().any(|word| word.starts_with(prefix));
    // As part of a longer word, a token may keep or lose other signs than by itself.
    begins(normalised)
        || token.contains(|c: char| c.is_ascii_punctuation() || !c.is_ascii()) && {
            let folded = fold_token(token);
            begins(&folded)
                || begins(&folded.replace(',', ""))
                || begins(&folded.replace(|c: char| c.is_ascii_punctuation(), ""))
        }
}

/// The links between tokens that follow from a link between units.
pub(super) fn token_links(
    link: AlignmentLink,
    sources: &ComparisonUnits,
    outputs: &ComparisonUnits,
) -> Vec<AlignmentLink> {
    let (from, to) = (&sources.tokens[link.source], &outputs.tokens[link.output]);
    from.clone()
        .flat_map(|source| {
            to.clone().map(move |output| AlignmentLink {
                source,
                output,
                ..link
            })
        })
        .collect()
}
