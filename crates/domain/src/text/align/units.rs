//! Words that two texts separate differently (`cannot`, `can not`; `Italian-French`, `Italian -
//! French`), merged so that they compare as equal.

use std::{collections::HashSet, ops::Range};

use super::{AlignmentLink, similarity::WordForm};
use crate::text::{
    tokenise::{TokenKind, normalise_token},
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
    /// The units of `text`: a run of tokens is a unit if `other` has it as a single token.
    pub(super) fn new(text: &TokenisedText, other: &TokenisedText) -> Self {
        let mut units = Self::default();
        for (tokens, form) in join_tokens(text, other) {
            units.tokens.push(tokens);
            units.forms.push(form);
        }
        units
    }
}

fn join_tokens(text: &TokenisedText, other: &TokenisedText) -> Vec<(Range<usize>, WordForm)> {
    let own_words: HashSet<String> = text.words().map(normalise_token).collect();
    let other_words: HashSet<String> = other
        .words()
        .map(normalise_token)
        .filter(|word| {
            word.chars().nth(MIN_UNIT_LETTERS - 1).is_some() && !own_words.contains(word)
        })
        .collect();
    let mut units = Vec::with_capacity(text.len());
    let mut start = 0;
    while start < text.len() {
        let longest = (start + MAX_TOKENS_PER_UNIT).min(text.len());
        let run = (start + 2..=longest).rev().find_map(|end| {
            let inner = text.tokens()[start].kind != TokenKind::Sign
                && text.tokens()[end - 1].kind != TokenKind::Sign;
            let word = inner.then(|| (start..end).map(|at| text.word(at)).collect::<String>())?;
            other_words
                .contains(&normalise_token(&word))
                .then(|| (end, WordForm::new(&word)))
        });
        let (end, form) = run.unwrap_or_else(|| (start + 1, WordForm::new(text.word(start))));
        units.push((start..end, form));
        start = end;
    }
    units
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
