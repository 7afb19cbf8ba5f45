//! Simplifications by a few rules for English: simpler words, fewer clauses, shorter sentences.
//!
//! They are candidates from which a metric learns where no outputs of systems are at hand. They are not for readers:
//! each rule sees only words and signs.

mod clauses;
mod simpler_words;
mod splits;

use self::{clauses::delete_clauses, simpler_words::substitute_words, splits::split_at_clauses};
use super::sentences::split_sentences;

/// A rule of the rewriter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RewriteRule {
    /// Words are replaced by more frequent ones of the same meaning.
    SimplerWords,
    /// Clauses between commas that begin with a relative word, brackets, and linking words at the beginning are
    /// deleted.
    FewerClauses,
    /// Sentences are split at semicolons and before coordinate and relative clauses.
    ShorterSentences,
}

impl RewriteRule {
    /// All of them, in the order in which they are applied together.
    pub const ALL: [Self; 3] = [
        Self::SimplerWords,
        Self::FewerClauses,
        Self::ShorterSentences,
    ];

    /// The rewritten text; equal to `text` where the rule finds nothing. `zipf` gives a lower-cased word's frequency,
    /// larger for more frequent ones.
    #[must_use]
    pub fn apply(self, text: &str, zipf: &dyn Fn(&str) -> f32) -> String {
        match self {
            Self::SimplerWords => substitute_words(text, zipf),
            Self::FewerClauses => change_sentences(text, delete_clauses),
            Self::ShorterSentences => change_sentences(text, split_at_clauses),
        }
    }
}

/// The rewrites of a text by each rule alone and by all together, each once, without the text itself.
#[must_use]
pub fn make_rewrites(text: &str, zipf: &dyn Fn(&str) -> f32) -> Vec<String> {
    let mut rewrites: Vec<String> = Vec::new();
    let mut add = |rewrite: String| {
        if rewrite != text && !rewrites.contains(&rewrite) {
            rewrites.push(rewrite);
        }
    };

    let mut together = text.to_owned();
    for rule in RewriteRule::ALL {
        add(rule.apply(text, zipf));
        together = rule.apply(&together, zipf);
    }
    add(together);
    rewrites
}

/// Changes each sentence and keeps what is between sentences.
fn change_sentences(text: &str, change: fn(&str) -> String) -> String {
    let mut rewritten = String::with_capacity(text.len());
    let mut copied = 0;
    for sentence in split_sentences(text) {
        rewritten.push_str(&text[copied..sentence.start]);
        rewritten.push_str(&change(&text[sentence.start..sentence.end]));
        copied = sentence.end;
    }
    rewritten.push_str(&text[copied..]);
    rewritten
}

/// The text with its first letter in upper case.
fn capitalise(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next();
    first.map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}

/// A sentence without the signs and quotation marks at its end, and those signs and marks.
fn split_end(sentence: &str) -> (&str, &str) {
    let body = sentence
        .trim_end_matches(['.', '!', '?', '…', '"', '”', '’'])
        .trim_end();
    (body, &sentence[body.len()..])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The frequencies that the rules need here: short words are frequent.
    fn by_length(word: &str) -> f32 {
        10.0 - word.len() as f32
    }

    #[test]
    fn each_rule_alone_and_all_together() {
        let text = "The vessel, which was built in 1911, sank; divers subsequently recovered it.";
        assert_eq!(
            make_rewrites(text, &by_length),
            [
                "The ship, which was built in 1911, sank; divers later recovered it.",
                "The vessel sank; divers subsequently recovered it.",
                "The vessel, which was built in 1911, sank. Divers subsequently recovered it.",
                "The ship sank. Divers later recovered it.",
            ]
        );
    }

    #[test]
    fn nothing_to_simplify_gives_no_rewrite() {
        assert_eq!(make_rewrites("The cat sat.", &by_length), [""; 0]);
        assert_eq!(make_rewrites("", &by_length), [""; 0]);
    }

    #[test]
    fn only_sentences_are_changed() {
        let text = " It rained;  nobody came.\nIn addition, it was cold. ";
        assert_eq!(
            RewriteRule::ShorterSentences.apply(text, &by_length),
            " It rained. Nobody came.\nIn addition, it was cold. "
        );
        assert_eq!(
            RewriteRule::FewerClauses.apply(text, &by_length),
            " It rained;  nobody came.\nIt was cold. "
        );
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "\\PC{0,60}|([a-zé]{1,8}|, which |, and it |; |\\(|\\)|\\. |[A-Z]| ){0,16}") {
            for rewrite in make_rewrites(&text, &by_length) {
                prop_assert_ne!(&rewrite, &text);
            }
            let clauses = RewriteRule::FewerClauses.apply(&text, &by_length);
            prop_assert!(clauses.chars().count() <= text.chars().count() + 2);
        }
    }
}
