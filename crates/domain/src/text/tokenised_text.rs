//! A text with its tokens, as aligners and edits use it.

use super::{
    sentences::split_sentences,
    tokenise::{Token, tokenise},
};
use crate::span::Span;

/// A text and its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenisedText {
    text: String,
    tokens: Vec<Token>,
}

impl TokenisedText {
    /// Tokenises `text` with our own tokeniser.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            tokens: tokenise(text),
        }
    }

    /// Joins tokenised `words` with spaces, each word a token.
    #[must_use]
    pub fn from_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let (mut text, mut spans) = (String::new(), Vec::new());
        for word in words {
            if !text.is_empty() {
                text.push(' ');
            }
            spans.push(Span::new(text.len(), text.len() + word.len()));
            text.push_str(word);
        }
        let tokens = spans
            .into_iter()
            .map(|span| Token::new(&text, span))
            .collect();
        Self { text, tokens }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its tokens, in order.
    #[must_use]
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether it has no tokens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The text of the token at `index`; empty if there is none.
    #[must_use]
    pub fn word(&self, index: usize) -> &str {
        self.tokens
            .get(index)
            .and_then(|token| token.span.slice(&self.text))
            .unwrap_or_default()
    }

    /// The texts of all tokens.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|index| self.word(index))
    }

    /// For each sentence the index of the token after its last one; ascending, the last is `len`.
    #[must_use]
    pub fn sentence_ends(&self) -> Vec<usize> {
        let after = |sentence: Span| self.tokens.partition_point(|t| t.span.start < sentence.end);
        split_sentences(&self.text).into_iter().map(after).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_gold_pair_keep_their_numbers() {
        let words = ["u.s.", "can", "n't", "."];
        let text = TokenisedText::from_words(words);
        assert_eq!(text.text(), "u.s. can n't .");
        assert_eq!(text.words().collect::<Vec<_>>(), words);
        assert_eq!(text.word(9), "");
    }

    #[test]
    fn sentences_end_after_their_last_token() {
        let text = TokenisedText::new("It sank. (It burned.) Sad");
        assert_eq!(text.sentence_ends(), [3, 8, 9]);
    }
}
