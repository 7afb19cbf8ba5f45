//! Words that two texts cut differently (`cannot`, `can not`; `Italian-French`, `Italian - French`)
//! made one, so that the difference is none.

use std::{collections::HashSet, ops::Range};

use super::{Link, similarity::Form};
use crate::text::{
    tokenise::{TokenKind, bare},
    tokenised::Tokenised,
};

/// The most tokens that are taken for one word.
const LONGEST: usize = 6;
/// The fewest letters of such a word: shorter ones come about by chance.
const SHORTEST: usize = 4;

/// A text as words to compare, each of one token or several.
#[derive(Debug, Default)]
pub(super) struct Units {
    tokens: Vec<Range<usize>>,
    pub(super) forms: Vec<Form>,
}

impl Units {
    /// The units of `text`: a run of tokens is one where `other` has it as a single token.
    pub(super) fn new(text: &Tokenised, other: &Tokenised) -> Self {
        let mut units = Self::default();
        for (tokens, form) in joined(text, other) {
            units.tokens.push(tokens);
            units.forms.push(form);
        }
        units
    }
}

fn joined(text: &Tokenised, other: &Tokenised) -> Vec<(Range<usize>, Form)> {
    let own: HashSet<String> = text.words().map(bare).collect();
    let wanted: HashSet<String> = other
        .words()
        .map(bare)
        .filter(|word| word.chars().nth(SHORTEST - 1).is_some() && !own.contains(word))
        .collect();
    let mut units = Vec::with_capacity(text.len());
    let mut start = 0;
    while start < text.len() {
        let longest = (start + LONGEST).min(text.len());
        let run = (start + 2..=longest).rev().find_map(|end| {
            let inner = text.tokens()[start].kind != TokenKind::Sign
                && text.tokens()[end - 1].kind != TokenKind::Sign;
            let word = inner.then(|| (start..end).map(|at| text.word(at)).collect::<String>())?;
            wanted
                .contains(&bare(&word))
                .then(|| (end, Form::new(&word)))
        });
        let (end, form) = run.unwrap_or_else(|| (start + 1, Form::new(text.word(start))));
        units.push((start..end, form));
        start = end;
    }
    units
}

/// The links between tokens that a link between units stands for.
pub(super) fn to_tokens(link: Link, sources: &Units, outputs: &Units) -> Vec<Link> {
    let (from, to) = (&sources.tokens[link.source], &outputs.tokens[link.output]);
    from.clone()
        .flat_map(|source| {
            to.clone().map(move |output| Link {
                source,
                output,
                ..link
            })
        })
        .collect()
}
