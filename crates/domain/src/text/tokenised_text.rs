//! A text with its tokens, as aligners and edits use it.

use super::{
    sentences::split_sentences,
    tokenise::{Token, join_compounds, normalise_token, tokenise_compounds, words_among},
};
use crate::span::Span;

/// A text and its tokens. What comparisons with another text need is computed once, because a source is compared with
/// many outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenisedText {
    text: String,
    tokens: Vec<Token>,
    /// Its tokens as [`normalise_token`] writes them.
    normalised: Vec<String>,
    /// The words of [`Self::whole_words`], and the signs between them.
    compounds: Vec<Span>,
}

impl TokenisedText {
    /// Tokenises `text` with our own tokeniser.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let compounds = join_compounds(text);
        let tokens = tokenise_compounds(text, &compounds);
        Self::with_tokens(text.to_owned(), tokens, compounds)
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
        let tokens = spans.iter().map(|span| Token::new(&text, *span)).collect();
        Self::with_tokens(text, tokens, spans)
    }

    fn with_tokens(text: String, tokens: Vec<Token>, compounds: Vec<Span>) -> Self {
        let normalised = tokens
            .iter()
            .map(|token| normalise_token(token.span.slice(&text).unwrap_or_default()));
        Self {
            normalised: normalised.collect(),
            text,
            tokens,
            compounds,
        }
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

    /// The tokens as [`normalise_token`] writes them.
    #[must_use]
    pub fn normalised_words(&self) -> &[String] {
        &self.normalised
    }

    /// The words as the category rules count them, see [`split_words`](super::tokenise::split_words).
    pub fn whole_words(&self) -> impl Iterator<Item = &str> {
        words_among(&self.text, &self.compounds)
    }

    /// For each sentence the index of the token after its last one; ascending, the last is `len`.
    #[must_use]
    pub fn sentence_ends(&self) -> Vec<usize> {
        split_sentences(&self.text)
            .into_iter()
            .map(|sentence| self.tokens.partition_point(|t| t.span.start < sentence.end))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise::{split_words, tokenise};

    #[test]
    fn words_of_a_gold_pair_keep_their_numbers() {
        let words = ["u.s.", "can", "n't", "."];
        let text = TokenisedText::from_words(words);
        assert_eq!(text.text(), "u.s. can n't .");
        assert_eq!(text.words().collect::<Vec<_>>(), words);
        assert_eq!(text.word(9), "");
        assert_eq!(text.normalised_words(), ["us", "can", "nt", "."]);
        assert_eq!(text.whole_words().collect::<Vec<_>>(), words[..3]);
    }

    #[test]
    fn whole_words_are_those_of_the_category_rules() {
        for text in [
            "It isn't 1,000.5 % of “Italian-French”…",
            "",
            "👍🏽 e\u{301} ’tis",
        ] {
            let tokenised = TokenisedText::new(text);
            assert_eq!(tokenised.tokens(), tokenise(text));
            assert_eq!(
                tokenised.whole_words().collect::<Vec<_>>(),
                split_words(text)
            );
            let normalised: Vec<_> = tokenised.words().map(normalise_token).collect();
            assert_eq!(tokenised.normalised_words(), normalised);
        }
    }

    #[test]
    fn sentences_end_after_their_last_token() {
        let text = TokenisedText::new("It sank. (It burned.) Sad");
        assert_eq!(text.sentence_ends(), [3, 8, 9]);
    }
}
