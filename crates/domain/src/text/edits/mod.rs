//! Edits derived from links: the changes of a system, as stretches of both texts.

mod changes;
mod ends;
mod version;

use std::collections::BTreeSet;

use super::{align::Alignment, tokenised_text::TokenisedText};
use crate::{
    edit::{Edit, sort_edits},
    span::Span,
};

pub use self::{
    changes::{TokenChange, find_changes},
    version::{EditsVersion, EditsVersionError},
};

/// The version of this folder's decisions, stored with the edits.
///
/// 2: an edit ends at a line end that is a split. Version 1 gave the line end to both, which
/// [`validate`](crate::edit::validate::validate) refuses.
pub const VERSION: u32 = 2;

/// The edits that follow from `alignment`, in the order of their places in the output.
///
/// - Words of the source without a counterpart are deletions, a contiguous run one edit; its caret
///   is after the counterpart of the word before it.
/// - New words of the output are paraphrases without a source; changed ones have theirs, and
///   neighbours whose sources are neighbours too are one phrase.
/// - An added sentence end, semicolon or new line is a split, with the words that it replaces, if
///   any. No other edit spans such a new line.
/// - Case, the style of quotes and dashes, and word boundaries are not edits, and neither is
///   moving: a moved word has its counterpart.
///
/// Every token is on exactly one side of one edit, or of none.
#[must_use]
pub fn derive_edits(
    source: &TokenisedText,
    output: &TokenisedText,
    alignment: &Alignment,
) -> Vec<Edit> {
    let changes = find_changes(source, output, alignment);
    let (uncut, cuts) = (BTreeSet::new(), changes::cuts(output, &changes));

    let mut edits: Vec<Edit> = changes
        .into_iter()
        .map(|change| Edit {
            kind: change.kind,
            source: join_token_spans(source, &change.source, &uncut),
            output: match change.place {
                Some(place) => vec![place],
                None => join_token_spans(output, &change.output, &cuts),
            },
            confidence: Some(change.confidence),
        })
        .collect();

    sort_edits(&mut edits);
    edits
}

/// The position in the output of a caret for the word of the source at `span`: after the counterpart
/// of the nearest word before it that has one.
#[must_use]
pub fn caret(
    source: &TokenisedText,
    output: &TokenisedText,
    alignment: &Alignment,
    span: Span,
) -> usize {
    let token = source
        .tokens()
        .partition_point(|t| t.span.end <= span.start);
    changes::caret(output, &alignment.links, token)
}

/// The stretches of tokens; adjacent tokens are joined unless there is a cut between them.
fn join_token_spans(text: &TokenisedText, tokens: &[usize], cuts: &BTreeSet<usize>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut last = None;
    for &token in tokens {
        let span = text.tokens()[token].span;
        match spans.last_mut() {
            Some(stretch)
                if last.is_some_and(|last| last + 1 == token) && !cuts.contains(&token) =>
            {
                stretch.end = span.end;
            }
            _ => spans.push(span),
        }
        last = Some(token);
    }
    spans
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        edit::{EditKind, validate::validate},
        text::{
            align::{AlignerGrade, align, grid},
            test_texts::hostile_text,
            tokenise::normalise_token,
        },
    };

    /// The edits in readable form: `- old`, `+ new`, `old > new`, `|| .`.
    fn read(source: &str, output: &str) -> Vec<String> {
        let (from, to) = (TokenisedText::new(source), TokenisedText::new(output));
        let edits = derive_edits(&from, &to, &align(&from, &to));
        assert_eq!(validate(&edits, source, output), Ok(()));
        let words = |text: &str, spans: &[Span]| -> String {
            spans
                .iter()
                .filter_map(|s| s.slice(text))
                .collect::<Vec<_>>()
                .join(" … ")
        };
        let line = |edit: &Edit| {
            let (old, new) = (words(source, &edit.source), words(output, &edit.output));
            match edit.kind {
                EditKind::Deletion => format!("{}- {old}", edit.output[0].start),
                EditKind::Paraphrase if old.is_empty() => format!("+ {new}"),
                EditKind::Paraphrase => format!("{old} > {new}"),
                EditKind::Split => format!("{old}|| {new}"),
            }
        };
        edits.iter().map(line).collect()
    }

    fn check(source: &str, output: &str, expected: &[&str]) {
        assert_eq!(read(source, output), expected, "{output}");
    }

    #[test]
    fn deletions_stand_after_the_word_before_them() {
        check(
            "The very old boat sank.",
            "The boat sank.",
            &["3- very old"],
        );
        check("Sadly, the boat sank.", "The boat sank.", &["0- Sadly,"]);
        check("The boat sank in May.", "", &["0- The boat sank in May."]);
    }

    #[test]
    fn new_and_changed_words_are_paraphrases() {
        check("The ship sank.", "The boat sank.", &["ship > boat"]);
        check("The ship sank.", "The big grey ship sank.", &["+ big grey"]);
        check(
            "It consists of wood.",
            "It has wood.",
            &["consists of > has"],
        );
    }

    #[test]
    fn added_sentence_ends_are_splits() {
        check(
            "It sank, and it burned.",
            "It sank. It burned.",
            &["7- and", ",|| ."],
        );
        check("It sank; it burned.", "It sank. It burned.", &[";|| ."]);
        check("It sank, it burned.", "It sank; it burned.", &[",|| ;"]);
        check("It sank. It burned.", "It sank. It burned.", &[]);
        check("It sank and burned.", "It sank\nand burned.", &["|| \n"]);
        check(
            "It is in the U.S. It sank.",
            "It is in the U.S. It sank.",
            &[],
        );
        check(
            "It sank.",
            "It sank. It was old.",
            &["|| .", "+ It was old"],
        );
    }

    #[test]
    fn no_edit_reaches_over_a_line_end_that_is_a_split() {
        check("£5000.", "th\ne", &["0- £5000.", "+ th", "|| \n", "+ e"]);
        check(
            "Winners get money.",
            "Winners get:\n- a medal\n- some money.",
            &["+ :", "|| \n", "+ - a medal", "|| \n", "+ - some"],
        );
        check(
            "It carried timber.",
            "It brought\nwood.",
            &["carried timber > brought … wood", "|| \n"],
        );
    }

    #[test]
    fn case_cutting_quotes_and_moving_are_no_edits() {
        check("the Italian-French boat", "The Italian French boat", &[]);
        check("he said “cannot”", "He said \"can not\"", &[]);
        check("Stern's boat", "Stern 's boat", &[]);
        check(
            "In late May two boats sank",
            "Two boats sank in late May",
            &[],
        );
    }

    #[test]
    fn a_caret_stands_after_the_counterpart_of_the_word_before() {
        let (source, output) = ("The very old boat sank.", "The boat sank.");
        let (from, to) = (TokenisedText::new(source), TokenisedText::new(output));
        let alignment = align(&from, &to);
        for (word, expected) in [
            ("The", 4),
            ("very", 3),
            ("old", 3),
            ("boat", 3),
            ("sank", 8),
        ] {
            let start = source.find(word).expect("the word is there");
            let span = Span::new(start, start + word.len());
            assert_eq!(caret(&from, &to, &alignment, span), expected, "{word}");
        }
    }

    proptest! {
        #[test]
        fn edits_of_hostile_texts_fit_whatever_the_links(
            source in hostile_text(),
            output in hostile_text(),
            likelihoods in prop::collection::vec(0.0_f32..1.0, 1..200),
            linked in 0.3_f32..1.0,
        ) {
            let (from, to) = (TokenisedText::new(&source), TokenisedText::new(&output));
            let strings = align(&from, &to);
            prop_assert_eq!(validate(&derive_edits(&from, &to, &strings), &source, &output), Ok(()));
            // Any output of a network: the likelihood of each pair of words.
            let cells = from.len() * to.len();
            let mut likelihoods: Vec<f32> = likelihoods.into_iter().cycle().take(cells).collect();
            likelihoods.iter_mut().for_each(|likelihood| *likelihood *= linked);
            let decoded = grid::decode(&likelihoods, to.len(), AlignerGrade::Grid, 1);
            prop_assert_eq!(validate(&derive_edits(&from, &to, &decoded), &source, &output), Ok(()));
        }

        #[test]
        fn a_single_line_is_cut_nowhere(source in hostile_text(), output in hostile_text()) {
            let output = TokenisedText::new(&output.replace('\n', " "));
            let source = TokenisedText::new(&source);
            let changes = find_changes(&source, &output, &align(&source, &output));
            prop_assert_eq!(changes::cuts(&output, &changes), BTreeSet::new());
        }

        #[test]
        fn edits_fit_and_cover_exactly_the_differing_tokens(
            source in "([a-d]{1,3}|[,.;é])( ([a-d]{1,3}|[,.;])){0,14}|\\PC{0,40}",
            output in "([a-d]{1,3}|[,.;é])( ([a-d]{1,3}|[,.;])){0,14}|\\PC{0,40}",
        ) {
            let (from, to) = (TokenisedText::new(&source), TokenisedText::new(&output));
            let alignment = align(&from, &to);
            let edits = derive_edits(&from, &to, &alignment);
            prop_assert_eq!(validate(&edits, &source, &output), Ok(()));
            let holding = |spans: fn(&Edit) -> &Vec<Span>, token: Span| {
                let inside = |s: &&Span| s.start <= token.start && token.end <= s.end;
                edits.iter().flat_map(spans).filter(inside).count()
            };
            for (at, token) in from.tokens().iter().enumerate() {
                let edited = holding(|edit| &edit.source, token.span);
                let linked = alignment.links.iter().filter(|link| link.source == at);
                let alike =
                    linked.clone().any(|l| normalise_token(to.word(l.output)) == normalise_token(from.word(at)));
                prop_assert!(edited <= 1);
                let unlinked = linked.clone().next().is_none();
                prop_assert!(edited == 1 || !unlinked || !token_is_word(&from, at));
                prop_assert!(edited == 0 || !alike || !token_is_word(&from, at));
            }
            for (at, token) in to.tokens().iter().enumerate() {
                let edited = holding(|edit| &edit.output, token.span);
                let unlinked = alignment.links.iter().all(|link| link.output != at);
                prop_assert!(edited <= 1);
                prop_assert!(edited == 1 || !unlinked || !token_is_word(&to, at));
            }
        }

        #[test]
        fn a_copy_has_no_edits(text in "\\PC{0,60}") {
            let text = TokenisedText::new(&text);
            prop_assert_eq!(derive_edits(&text, &text, &align(&text, &text)), []);
        }
    }

    /// Punctuation at sentence ends may be relinked, so only words keep the aligner's links.
    fn token_is_word(text: &TokenisedText, at: usize) -> bool {
        text.word(at).contains(char::is_alphanumeric)
    }
}
