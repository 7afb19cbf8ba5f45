//! What the features look at, computed once a word.

use std::collections::HashMap;

use crate::text::{
    align::similarity::Form,
    tokenise::{TokenKind, folded},
    tokenised::Tokenised,
};

/// A word by itself and among its like.
pub(super) struct Word {
    pub(super) folded: String,
    pub(super) form: Form,
    /// Letters and signs.
    pub(super) length: usize,
    /// Its like before it in its text.
    pub(super) before: usize,
    /// Its like in its own text, itself included.
    pub(super) here: usize,
    /// Its like in the other text.
    pub(super) there: usize,
    pub(super) has_digit: bool,
}

impl Word {
    pub(super) fn is_sign(&self) -> bool {
        self.form.kind == TokenKind::Sign
    }

    pub(super) fn is_function_word(&self) -> bool {
        self.form.classes != 0
    }
}

/// The words of a text.
pub(super) struct Words(Vec<Word>);

impl Words {
    pub(super) fn new(text: &Tokenised, other: &Tokenised) -> Self {
        let forms: Vec<Form> = text.words().map(Form::new).collect();
        let mut there: HashMap<String, usize> = HashMap::new();
        for word in other.words() {
            *there.entry(Form::new(word).bare).or_default() += 1;
        }
        let mut here: HashMap<String, usize> = HashMap::new();
        let before: Vec<usize> = forms
            .iter()
            .map(|form| {
                let count = here.entry(form.bare.clone()).or_default();
                *count += 1;
                *count - 1
            })
            .collect();
        let word = |((form, before), written): ((Form, usize), &str)| Word {
            folded: folded(written),
            length: written.chars().count(),
            before,
            here: here[&form.bare],
            there: there.get(&form.bare).copied().unwrap_or(0),
            has_digit: written.contains(|c: char| c.is_ascii_digit()),
            form,
        };
        Self(
            forms
                .into_iter()
                .zip(before)
                .zip(text.words())
                .map(word)
                .collect(),
        )
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn forms(&self) -> Vec<Form> {
        self.0.iter().map(|word| word.form.clone()).collect()
    }
}

impl std::ops::Index<usize> for Words {
    type Output = Word;

    fn index(&self, at: usize) -> &Word {
        &self.0[at]
    }
}
