//! The properties of words that features use, computed once for each word.

use std::collections::HashMap;

use crate::text::{
    align::similarity::WordForm,
    tokenise::{TokenKind, fold_token},
    tokenised_text::TokenisedText,
};

/// A word with the counts of its occurrences.
pub(super) struct WordFeatures {
    pub(super) folded: String,
    pub(super) form: WordForm,
    /// The characters.
    pub(super) length: usize,
    /// The number of earlier occurrences in its text.
    pub(super) earlier_occurrences: usize,
    /// The number of occurrences in its own text, itself included.
    pub(super) own_occurrences: usize,
    /// The number of occurrences in the other text.
    pub(super) other_occurrences: usize,
    pub(super) has_digit: bool,
}

impl WordFeatures {
    pub(super) fn is_sign(&self) -> bool {
        self.form.kind == TokenKind::Sign
    }

    pub(super) fn is_function_word(&self) -> bool {
        self.form.classes != 0
    }
}

/// The words of a text.
pub(super) struct TextFeatures(Vec<WordFeatures>);

impl TextFeatures {
    pub(super) fn new(text: &TokenisedText, other: &TokenisedText) -> Self {
        let forms: Vec<WordForm> = text.words().map(WordForm::new).collect();

        let mut other_counts: HashMap<String, usize> = HashMap::new();
        for word in other.words() {
            *other_counts.entry(WordForm::new(word).bare).or_default() += 1;
        }

        let mut own_counts: HashMap<String, usize> = HashMap::new();
        let before: Vec<usize> = forms
            .iter()
            .map(|form| {
                let count = own_counts.entry(form.bare.clone()).or_default();
                *count += 1;
                *count - 1
            })
            .collect();

        let words = forms.into_iter().zip(before).zip(text.words());
        let features = words.map(|((form, before), token)| WordFeatures {
            folded: fold_token(token),
            length: token.chars().count(),
            earlier_occurrences: before,
            own_occurrences: own_counts[&form.bare],
            other_occurrences: other_counts.get(&form.bare).copied().unwrap_or(0),
            has_digit: token.contains(|c: char| c.is_ascii_digit()),
            form,
        });
        Self(features.collect())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn forms(&self) -> Vec<WordForm> {
        self.0.iter().map(|word| word.form.clone()).collect()
    }
}

impl std::ops::Index<usize> for TextFeatures {
    type Output = WordFeatures;

    fn index(&self, at: usize) -> &WordFeatures {
        &self.0[at]
    }
}
