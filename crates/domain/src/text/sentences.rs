//! The sentences of a text, with their positions.
//!
//! The number of sentences decides step 1, on system outputs that are often malformed. So a period that
//! does not belong to an abbreviation ends a sentence whatever follows, even a lower-case word, as in
//! trained sentence splitters.

use super::{
    abbreviations::{self, AbbreviationKind},
    ordinals::is_german_ordinal,
};
use crate::span::Span;

/// The sentences of `text` in order, without the white space between them; a text of only white
/// space has none.
#[must_use]
pub fn split_sentences(text: &str) -> Vec<Span> {
    let cased = text.chars().any(char::is_uppercase);
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut at = 0;

    while let Some(place) = next_candidate(text, at) {
        at = place.end;
        let sentence = &text[start..place.start];
        if place.ends_sentence(text, sentence, cased) {
            sentences.extend(trimmed_span(text, start, place.end));
            start = place.end;
        }
    }

    sentences.extend(trimmed_span(text, start, text.len()));
    sentences
}

/// Whether `c` closes a quotation or a bracket.
pub(crate) const fn is_closer(c: char) -> bool {
    matches!(c, '"' | '\'' | ')' | ']' | '}' | '”' | '’' | '»')
}

const fn is_opener(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '(' | '[' | '{' | '“' | '‘' | '«' | '-' | '–' | '—' | '•' | '*' | '`'
    )
}

/// Ends a sentence without white space after it.
const fn is_full_width(c: char) -> bool {
    matches!(c, '。' | '！' | '？')
}

const fn is_terminator(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '।' | '؟') || is_full_width(c)
}

/// A position where a sentence may end: terminators with the closers after them, or line ends.
struct BoundaryCandidate {
    start: usize,
    signs_end: usize,
    end: usize,
}

fn next_candidate(text: &str, from: usize) -> Option<BoundaryCandidate> {
    let (offset, first) = text[from..]
        .char_indices()
        .find(|&(_, c)| is_terminator(c) || c == '\n')?;
    let start = from + offset;
    if first == '\n' {
        let end = skip(text, start, char::is_whitespace);
        return Some(BoundaryCandidate {
            start,
            signs_end: start,
            end,
        });
    }

    let signs_end = skip(text, start, is_terminator);
    let mut end = skip(text, signs_end, |c| is_closer(c) || is_terminator(c));
    end = skip_citation(text, end);
    Some(BoundaryCandidate {
        start,
        signs_end,
        end: skip_loose_closers(text, end),
    })
}

/// The offset after the longest run from `at` of characters that `take` accepts.
fn skip(text: &str, at: usize, take: impl Fn(char) -> bool) -> usize {
    text[at..]
        .find(|c| !take(c))
        .map_or(text.len(), |length| at + length)
}

/// The offset after `[12]` if `at` is before it.
fn skip_citation(text: &str, at: usize) -> usize {
    let inside = text[at..]
        .strip_prefix('[')
        .map(|rest| rest.trim_start_matches(char::is_numeric));
    match inside.and_then(|rest| rest.strip_prefix(']')) {
        Some(rest) if !text[at..].starts_with("[]") => text.len() - rest.len(),
        _ => at,
    }
}

/// The offset after detached closers (`behind . "`), as in tokenised text: they belong to the
/// preceding sentence if nothing is attached to them.
fn skip_loose_closers(text: &str, at: usize) -> usize {
    let start = skip(text, at, |c| c == ' ');
    let end = skip(text, start, is_closer);
    let alone = text[end..].chars().next().is_none_or(char::is_whitespace);
    if start > at && end > start && alone {
        end
    } else {
        at
    }
}

impl BoundaryCandidate {
    fn ends_sentence(&self, text: &str, sentence: &str, cased: bool) -> bool {
        let signs = &text[self.start..self.signs_end];
        let rest = &text[self.end..];
        if signs.is_empty() {
            return breaks_line(&text[self.start..self.end], rest);
        }
        if !rest.starts_with(char::is_whitespace) {
            return rest.is_empty() || signs.ends_with(is_full_width);
        }

        let next = FollowingWord::parse(rest);
        match signs {
            "." => period_ends(sentence, &next) && !is_german_ordinal(text, sentence, next.word),
            "…" => !next.lower,
            _ if signs.chars().all(|c| c == '.') => !next.lower,
            _ => !next.lower || !cased,
        }
    }
}

/// Whether a line end separates sentences: a blank line, or a list's next entry. A single line end
/// may just wrap a line.
fn breaks_line(white: &str, rest: &str) -> bool {
    white.matches('\n').count() > 1 || rest.starts_with(['-', '*', '•', '–']) || is_entry(rest)
}

/// `2. Second` or `2) Second` at the start of a line.
fn is_entry(line: &str) -> bool {
    let after = line.trim_start_matches(|c: char| c.is_ascii_digit());
    after.len() < line.len() && after.starts_with(['.', ')'])
}

/// The text after a possible end.
struct FollowingWord<'a> {
    word: &'a str,
    lower: bool,
}

impl<'a> FollowingWord<'a> {
    fn parse(rest: &'a str) -> Self {
        let word = rest.trim_start_matches(|c| char::is_whitespace(c) || is_opener(c));
        let word = &word[..skip(word, 0, |c| c.is_alphanumeric() || c == '\'' || c == '’')];
        Self {
            word,
            lower: word.starts_with(char::is_lowercase),
        }
    }

    /// Whether it is a word that begins sentences but not names.
    fn starts_sentence(&self) -> bool {
        const STARTERS: &[&str] = &[
            "A", "After", "Also", "Although", "An", "And", "As", "At", "But", "By", "During",
            "For", "From", "He", "Her", "His", "However", "If", "In", "It", "Its", "Later", "Many",
            "Most", "On", "She", "Since", "So", "Some", "That", "The", "Their", "There", "These",
            "They", "This", "Those", "We", "When", "Which", "While", "With", "You",
        ];
        STARTERS.contains(&self.word)
    }
}

/// Whether a single period after `sentence` ends it.
fn period_ends(sentence: &str, next: &FollowingWord<'_>) -> bool {
    let word = sentence
        .rsplit(|c: char| c.is_whitespace() || is_opener(c))
        .next()
        .unwrap_or("");
    let alone = sentence.trim_start_matches(is_opener) == word;
    if alone && !word.is_empty() && word.chars().all(|c| c.is_ascii_digit()) {
        return false; // the number of a list's entry
    }

    match abbreviations::classify_abbreviation(word) {
        AbbreviationKind::Leading => false,
        AbbreviationKind::BeforeNumber => !next.word.starts_with(|c: char| c.is_ascii_digit()),
        AbbreviationKind::Open => next.word.is_empty() || next.starts_sentence(),
        AbbreviationKind::Unknown => !(next.lower && looks_abbreviated(word)),
    }
}

/// A short word without a vowel, such as `blvd` or `pkwy`.
fn looks_abbreviated(word: &str) -> bool {
    !word.is_empty()
        && word.len() <= 5
        && word
            .chars()
            .all(|c| c.is_ascii_alphabetic() && !"aeiouyAEIOUY".contains(c))
}

fn trimmed_span(text: &str, start: usize, end: usize) -> Option<Span> {
    let inside = &text[start..end];
    let from = start + (inside.len() - inside.trim_start().len());
    let to = start + inside.trim_end().len();
    (from < to).then(|| Span::new(from, to))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let actual: Vec<_> = split_sentences(text)
            .into_iter()
            .filter_map(|s| s.slice(text))
            .collect();
        assert_eq!(actual, expected, "{text}");
    }

    #[test]
    fn a_period_ends_a_sentence_unless_an_abbreviation_explains_it() {
        check("He left. She stayed.", &["He left.", "She stayed."]);
        check("Dr. Li met Mr. Ito.", &["Dr. Li met Mr. Ito."]);
        check(
            "It cost 3.5 million, i.e. less.",
            &["It cost 3.5 million, i.e. less."],
        );
        check(
            "See No. 5. He said no. We left.",
            &["See No. 5.", "He said no.", "We left."],
        );
        check("John F. Ito spoke.", &["John F. Ito spoke."]);
        check(
            "The U.S. Army left the U.S. It won.",
            &["The U.S. Army left the U.S.", "It won."],
        );
        check(
            "after World War I. He fell",
            &["after World War I.", "He fell"],
        );
        check(
            "thrown up by the. collision filled",
            &["thrown up by the.", "collision filled"],
        );
        check("on 5th blvd. near me", &["on 5th blvd. near me"]);
    }

    #[test]
    fn quotes_and_brackets_after_the_period_stay_with_it() {
        check(
            "He said \"go.\" She went.",
            &["He said \"go.\"", "She went."],
        );
        check("(He left.) She stayed.", &["(He left.)", "She stayed."]);
        check(
            "Leave it behind . \" Then go .",
            &["Leave it behind . \"", "Then go ."],
        );
        check(
            "It is tall.[12] It is old.",
            &["It is tall.[12]", "It is old."],
        );
        check(
            "He said. \"Go\" is a word.",
            &["He said.", "\"Go\" is a word."],
        );
    }

    #[test]
    fn ellipses_and_other_signs_look_at_what_follows() {
        check("the wall... which opened", &["the wall... which opened"]);
        check(
            "He waited... Nobody came.",
            &["He waited...", "Nobody came."],
        );
        check("\"Stop!\" he said.", &["\"Stop!\" he said."]);
        check("is it so? yes it is.", &["is it so?", "yes it is."]);
        check("他走了。她留下。", &["他走了。", "她留下。"]);
    }

    #[test]
    fn a_blank_line_or_a_list_entry_begins_a_sentence() {
        check("Cats\n\nDogs", &["Cats", "Dogs"]);
        check(
            "They have:\n- cats\n- dogs",
            &["They have:", "- cats", "- dogs"],
        );
        check("1. Cats\n2. Dogs", &["1. Cats", "2. Dogs"]);
        check("in New\nYork", &["in New\nYork"]);
        check(" \n ", &[]);
    }

    proptest! {
        #[test]
        fn sentences_cover_every_character_but_white_space(text in "\\PC*|[a-zA-Z.!?\"' \\n]{0,60}") {
            let mut covered = 0;
            for sentence in split_sentences(&text) {
                let gap = text.get(covered..sentence.start).expect("ordered, on boundaries");
                prop_assert!(gap.trim().is_empty());
                prop_assert_eq!(sentence.slice(&text).map(|s| !s.is_empty() && s.trim() == s), Some(true));
                covered = sentence.end;
            }
            prop_assert!(text[covered..].trim().is_empty());
        }
    }
}
