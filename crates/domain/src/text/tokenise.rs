//! Tokens: the words, numbers and punctuation of a text, each with its position.
//!
//! The conventions are those of the gold alignments (Penn Treebank), so that an aligner sees in the
//! product what it was evaluated on:
//! - word boundaries are Unicode's (UAX 29), so any script and any emoji sequence stays whole;
//! - a word joined by hyphens or inner apostrophes is one token (`Italian-French`, `O'Grady`);
//! - English clitics are separate tokens: `Stern's` is `Stern` + `'s`, `don't` is `do` + `n't`;
//! - a number keeps its inner `,` `.` `:` `/` (`1,000.5`, `8:10`); `%` and currency signs are separate
//!   tokens;
//! - the period of an abbreviation belongs to it, unless the text ends there;
//! - the same sign repeated is one token (`...`, `--`, `||`).

use unicode_segmentation::UnicodeSegmentation;

use super::abbreviations::{self, AbbreviationKind};
use crate::span::Span;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// It holds a letter.
    Word,
    /// It holds a digit and no letter.
    Number,
    /// Anything else: punctuation, symbols, emoji.
    Sign,
}

/// One token with its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token {
    /// Its span in the text.
    pub span: Span,
    /// Its kind.
    pub kind: TokenKind,
}

impl Token {
    /// The token at `span` of `text`, which must be a span of it.
    pub(crate) fn new(text: &str, span: Span) -> Self {
        Self {
            span,
            kind: kind_of(&text[span.start..span.end]),
        }
    }
}

/// The tokens of `text`, in order; every character that is not white space is in exactly one.
#[must_use]
pub fn tokenise(text: &str) -> Vec<Token> {
    tokenise_compounds(text, &join_compounds(text))
}

/// The tokens of `text`, whose compounds are `compounds`.
pub(super) fn tokenise_compounds(text: &str, compounds: &[Span]) -> Vec<Token> {
    let mut spans: Vec<Span> = Vec::with_capacity(compounds.len());
    for &span in compounds {
        if !extend_last(text, &mut spans, span) {
            let cut = clitic_start(&text[span.start..span.end]).map(|at| span.start + at);
            spans.extend(cut.map(|at| Span::new(span.start, at)));
            spans.push(Span::new(cut.unwrap_or(span.start), span.end));
        }
    }
    spans
        .into_iter()
        .map(|span| Token::new(text, span))
        .collect()
}

/// The words of `text` as the category rules count them: numbers included, without punctuation,
/// clitics and compounds whole.
#[must_use]
pub fn split_words(text: &str) -> Vec<&str> {
    words_among(text, &join_compounds(text)).collect()
}

/// The words among the compounds of `text`, see [`split_words`].
pub(super) fn words_among<'t>(text: &'t str, compounds: &[Span]) -> impl Iterator<Item = &'t str> {
    let words = compounds.iter().filter_map(|span| span.slice(text));
    words.filter(|word| kind_of(word) != TokenKind::Sign)
}

/// `token` normalised for comparison: in lower case, with plain quotes and dashes, because changes of these are not
/// edits.
#[must_use]
pub fn fold_token(token: &str) -> String {
    if token.is_ascii() {
        let mut folded = token.to_ascii_lowercase();
        if folded.contains('`') {
            folded = folded.replace('`', "'");
        }
        return folded;
    }
    token
        .chars()
        .map(plain_sign)
        .flat_map(char::to_lowercase)
        .collect()
}

/// The ASCII form of a quote or a dash; any other character as it is.
const fn plain_sign(c: char) -> char {
    match c {
        '’' | '‘' | '`' | '´' => '\'',
        '“' | '”' | '«' | '»' => '"',
        '\u{2010}' | '\u{2011}' | '–' | '—' => '-',
        other => other,
    }
}

/// The canonical form of a token after [`fold_token`]: no punctuation within a word (`U.S.` is
/// `us`), no commas within a number, one form of double quotes.
#[must_use]
pub fn normalise_token(token: &str) -> String {
    let mut folded = fold_token(token);
    match kind_of(&folded) {
        TokenKind::Word => folded.retain(|c| !c.is_ascii_punctuation()),
        TokenKind::Number => folded.retain(|c| c != ','),
        TokenKind::Sign if folded == "''" => return "\"".to_owned(),
        TokenKind::Sign => {}
    }
    folded
}

pub(crate) fn kind_of(token: &str) -> TokenKind {
    if token.chars().any(char::is_alphabetic) {
        TokenKind::Word
    } else if token.chars().any(char::is_numeric) {
        TokenKind::Number
    } else {
        TokenKind::Sign
    }
}

/// Unicode's words, rejoined if a punctuation mark without white space connects them.
pub(super) fn join_compounds(text: &str) -> Vec<Span> {
    let parts = split_segments(text);
    let mut joined: Vec<Span> = Vec::with_capacity(parts.len());
    let mut rest = parts.as_slice();
    while let [part, after @ ..] = rest {
        rest = after;
        match (joined.last_mut(), after) {
            (Some(last), [next, after_next @ ..]) if joins(text, *last, *part, *next) => {
                last.end = next.end;
                rest = after_next;
            }
            _ => joined.push(*part),
        }
    }
    joined
}

/// The segments of UAX 29 without white space. A combining mark after a space gives a segment that
/// begins with white space, hence the inner split.
fn split_segments(text: &str) -> Vec<Span> {
    let mut segments = Vec::new();
    for (offset, segment) in text.split_word_bound_indices() {
        let mut start = offset;
        for piece in segment.split(char::is_whitespace) {
            if !piece.is_empty() {
                segments.push(Span::new(start, start + piece.len()));
            }
            let end = start + piece.len();
            start = end + text[end..].chars().next().map_or(0, char::len_utf8);
        }
    }
    segments
}

/// Whether the punctuation mark `middle` joins its neighbours into one token.
fn joins(text: &str, left: Span, middle: Span, right: Span) -> bool {
    if left.end != middle.start || middle.end != right.start {
        return false;
    }

    let before = text[left.start..left.end].chars().next_back();
    let after = text[right.start..right.end].chars().next();
    match &text[middle.start..middle.end] {
        "-" | "\u{2010}" | "\u{2011}" | "'" | "’" => {
            kind_of(&text[left.start..left.end]) != TokenKind::Sign
                && kind_of(&text[right.start..right.end]) != TokenKind::Sign
        }
        ":" | "/" => [before, after]
            .iter()
            .all(|c| c.is_some_and(|c| c.is_ascii_digit())),
        _ => false,
    }
}

/// Adds `span` to the last token if it belongs to it: a repeated mark, the period of an
/// abbreviation, or a clitic after its apostrophe.
fn extend_last(text: &str, spans: &mut [Span], span: Span) -> bool {
    let Some(last) = spans.last_mut().filter(|last| last.end == span.start) else {
        return false;
    };

    let (before, here) = (&text[last.start..last.end], &text[span.start..span.end]);
    let apart = text[..last.start]
        .chars()
        .next_back()
        .is_none_or(char::is_whitespace);

    let belongs = match here {
        "." | "-" | "`" | "'" | "|" | "!" | "?" | "*" | "=" | "~" if is_run_of(before, here) => {
            true
        }
        "." => match abbreviations::classify_abbreviation(before) {
            AbbreviationKind::Unknown => false,
            AbbreviationKind::BeforeNumber => number_follows(&text[span.end..]),
            AbbreviationKind::Leading | AbbreviationKind::Open => !only_closers(&text[span.end..]),
        },
        _ => is_apostrophe(before) && apart && is_clitic(here),
    };

    if belongs {
        last.end = span.end;
    }
    belongs
}

fn is_run_of(token: &str, sign: &str) -> bool {
    token.chars().all(|c| sign.starts_with(c))
}

fn number_follows(rest: &str) -> bool {
    rest.trim_start().starts_with(|c: char| c.is_ascii_digit())
}

/// Whether only closing quotes and brackets follow.
fn only_closers(rest: &str) -> bool {
    rest.chars()
        .all(|c| c.is_whitespace() || super::sentences::is_closer(c))
}

fn is_apostrophe(sign: &str) -> bool {
    matches!(sign, "'" | "’")
}

fn is_clitic(letters: &str) -> bool {
    ["s", "re", "ve", "ll", "d", "m"]
        .iter()
        .any(|clitic| letters.eq_ignore_ascii_case(clitic))
}

/// The offset at which the clitic of a word such as `Stern's` or `don't` begins.
fn clitic_start(word: &str) -> Option<usize> {
    let (at, sign) = word
        .char_indices()
        .rev()
        .find(|&(_, c)| matches!(c, '\'' | '’'))?;

    let letters = &word[at + sign.len_utf8()..];
    if is_clitic(letters) {
        return (at > 0).then_some(at);
    }
    let not = letters.eq_ignore_ascii_case("t") && word[..at].ends_with(['n', 'N']);
    (not && at > 1).then(|| at - 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let actual: Vec<_> = tokenise(text)
            .iter()
            .filter_map(|t| t.span.slice(text))
            .collect();
        assert_eq!(actual, expected, "{text}");
    }

    #[test]
    fn compounds_numbers_and_clitics_follow_the_gold_alignments() {
        check(
            "Stern's 1,000.5 fans don't go.",
            &["Stern", "'s", "1,000.5", "fans", "do", "n't", "go", "."],
        );
        check(
            "Stern 's fans ca n't",
            &["Stern", "'s", "fans", "ca", "n't"],
        );
        check(
            "The Italian-French O’Grady’s",
            &["The", "Italian-French", "O’Grady", "’s"],
        );
        check(
            "(8:10) 50% of $3",
            &["(", "8:10", ")", "50", "%", "of", "$", "3"],
        );
        check(
            "'tis \"so\"... -- ok||",
            &["'", "tis", "\"", "so", "\"", "...", "--", "ok", "||"],
        );
    }

    #[test]
    fn an_abbreviation_keeps_its_period_unless_the_text_ends() {
        check(
            "Mr. Li left the U.S. army.",
            &["Mr.", "Li", "left", "the", "U.S.", "army", "."],
        );
        check("He left the U.S.", &["He", "left", "the", "U.S", "."]);
        check(
            "John F. Li (e.g. here).",
            &["John", "F.", "Li", "(", "e.g.", "here", ")", "."],
        );
    }

    #[test]
    fn emoji_marks_and_other_scripts_are_taken_whole() {
        check("नमस्ते 👩‍👩‍👧 cafe\u{301}", &["नमस्ते", "👩‍👩‍👧", "cafe\u{301}"]);
        check(" \u{301}a", &["\u{301}", "a"]);
        check("", &[]);
    }

    proptest! {
        #[test]
        fn every_character_but_white_space_is_in_exactly_one_token(text in "\\PC*|[a-zA-Z.'’ \\n\u{301}-]{0,40}") {
            let tokens = tokenise(&text);
            let mut covered = 0;
            for token in &tokens {
                let gap = text.get(covered..token.span.start).expect("ordered, on boundaries");
                prop_assert!(gap.chars().all(char::is_whitespace));
                let inside = token.span.slice(&text).expect("on boundaries");
                prop_assert!(!inside.is_empty() && !inside.contains(char::is_whitespace));
                covered = token.span.end;
            }
            prop_assert!(text[covered..].chars().all(char::is_whitespace));
        }
    }
}
