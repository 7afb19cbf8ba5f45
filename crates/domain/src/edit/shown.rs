//! Edits that carry a mark: a change of punctuation alone does not.

use super::{Edit, EditKind};
use crate::span::Span;

impl Edit {
    /// Whether it carries no mark: an automatic edit whose two sides have the same words, such as a comma that
    /// was left out, or `Stern 's` for `Stern's`. Nobody need check these, and they hide what words changed.
    ///
    /// Such an edit is stored, counted and exported like any other. A split is marked, as a sentence end is what it
    /// adds, but for a semicolon: the output is still one sentence. So is an edit that a person made or confirmed.
    #[must_use]
    pub fn is_silent(&self, source: &str, output: &str) -> bool {
        let adds_sentence_end = self.kind == EditKind::Split && !self.is_semicolon(output);
        self.confidence.is_some()
            && !adds_sentence_end
            && words_of(&self.source, source) == words_of(&self.output, output)
    }

    fn is_semicolon(&self, output: &str) -> bool {
        let sign = self.output.last().and_then(|span| span.slice(output));
        sign == Some(";")
    }

    /// Whether it is one of the [`shown_edits`] that carry a mark.
    #[must_use]
    pub const fn is_shown(&self) -> bool {
        !self.output.is_empty()
    }
}

/// The edits for drawing, each at its own index: those that carry no mark have no stretches.
#[must_use]
pub fn shown_edits(mut edits: Vec<Edit>, source: &str, output: &str) -> Vec<Edit> {
    for edit in &mut edits {
        if edit.is_silent(source, output) {
            edit.source.clear();
            edit.output.clear();
        }
    }
    edits
}

/// The characters of stretches without white space and apostrophes; nothing if the rest is punctuation.
fn words_of(stretches: &[Span], text: &str) -> String {
    let inside = stretches.iter().filter_map(|span| span.slice(text));
    let words: String = inside
        .flat_map(str::chars)
        .filter(|sign| !sign.is_whitespace() && !is_apostrophe(*sign))
        .collect();
    if words.chars().all(is_punctuation) {
        String::new()
    } else {
        words
    }
}

const fn is_apostrophe(sign: char) -> bool {
    matches!(sign, '\'' | '’' | '‘' | '`' | '´')
}

/// Signs without a meaning of their own, unlike `%` or `€`.
const fn is_punctuation(sign: char) -> bool {
    // From the hyphen to the ellipsis: dashes, quotes, bullets.
    matches!(sign, '\u{2010}'..='\u{2027}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}')
        || matches!(
            sign,
            ',' | '.' | ';' | ':' | '!' | '?' | '"' | '(' | ')' | '[' | ']' | '{' | '}' | '-' | '*'
        )
        || matches!(
            sign,
            '_' | '«'
                | '»'
                | '‹'
                | '›'
                | '¿'
                | '¡'
                | '·'
                | '，'
                | '：'
                | '；'
                | '！'
                | '？'
                | '（'
                | '）'
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        edit::ops,
        text::{align::align, edits::derive_edits, tokenised_text::TokenisedText},
    };

    fn edits_of(source: &str, output: &str) -> Vec<Edit> {
        let (from, to) = (TokenisedText::new(source), TokenisedText::new(output));
        derive_edits(&from, &to, &align(&from, &to))
    }

    /// Whether the automatic edits of two texts carry a mark, in order.
    fn check(source: &str, output: &str, marked: &[bool]) {
        let shown = shown_edits(edits_of(source, output), source, output);
        let is_shown: Vec<bool> = shown.iter().map(Edit::is_shown).collect();
        assert_eq!(is_shown, marked, "{output}: {shown:?}");
    }

    #[test]
    fn commas_quotes_and_detached_apostrophes_carry_no_mark() {
        check("In late 2004, Li left.", "In late 2004 Li left.", &[false]);
        check("In May Li left.", "In May, Li left.", &[false]);
        check("He was “old”.", "He was old.", &[false, false]);
        check("It rose by 5 % again.", "It rose by 5 again.", &[true]);
        check("It sank, old.", "It sank; old.", &[false]);
        check(
            "It sank and it burned.",
            "It sank; it burned.",
            &[true, false],
        );
        check(
            "It sank, it burned, it was old.",
            "It sank; it burned. It was old.",
            &[false, true],
        );
        check(
            "It sank, and it burned.",
            "It sank. It burned.",
            &[true, true],
        );
        for detached in ["Stern 's boat sank.", "Stern ' s boat sank."] {
            let source = "Stern's boat sank.";
            let shown = shown_edits(edits_of(source, detached), source, detached);
            assert!(!shown.iter().any(Edit::is_shown), "{shown:?}");
        }
    }

    #[test]
    fn a_persons_edit_of_a_comma_is_marked() {
        let (source, output) = ("In May Li left.", "In May, Li left.");
        let marked = ops::confirm(edits_of(source, output), 0);
        assert!(shown_edits(marked, source, output)[0].is_shown());
    }

    proptest! {
        #[test]
        fn edits_with_words_on_one_side_are_marked(
            source in "([a-d]{1,3}|[,.;'’%-])( ([a-d]{1,3}|[,.;'’-])){0,14}",
            output in "([a-d]{1,3}|[,.;'’%-])( ([a-d]{1,3}|[,.;'’-])){0,14}",
        ) {
            let edits = edits_of(&source, &output);
            let shown = shown_edits(edits.clone(), &source, &output);
            prop_assert_eq!(edits.len(), shown.len());
            let letters = |spans: &[Span], text: &str| -> String {
                let inside = spans.iter().filter_map(|span| span.slice(text));
                inside.flat_map(str::chars).filter(|sign| sign.is_alphanumeric()).collect()
            };
            for (edit, shown) in edits.iter().zip(&shown) {
                let changed = letters(&edit.source, &source) != letters(&edit.output, &output);
                prop_assert!(shown.is_shown() || !changed);
                prop_assert!(!shown.is_shown() || shown == edit);
            }
        }
    }
}
