//! The pieces of a text for display, each with the edit it belongs to.
//!
//! A component draws the pieces one after the other and knows nothing of offsets. Every word is a
//! piece of its own, so that a click on any word finds it.

use super::tokenise::{Token, tokenise};
use crate::{
    edit::{Edit, EditKind},
    span::Span,
};

/// A piece of a text, in the order of drawing. `edit` is an index into the edits given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextPiece {
    /// White space between words. It belongs to an edit if the same stretch continues after it.
    Gap {
        /// Its place.
        span: Span,
        /// The edit whose stretch it is in.
        edit: Option<usize>,
    },
    /// A word, a number or punctuation.
    Word {
        /// Its place.
        span: Span,
        /// The edit whose stretch it is in.
        edit: Option<usize>,
    },
    /// The place of deleted words.
    Caret {
        /// The offset in the text.
        at: usize,
        /// The deletion.
        edit: usize,
    },
    /// The two bars of an added sentence end, after it.
    Bars {
        /// The offset in the text.
        at: usize,
        /// The split.
        edit: usize,
    },
}

/// The output, with its edits' words, carets and bars.
///
/// The spans of gaps and words cover the text exactly, in order. Parts of an edit that do not fit
/// the text are not drawn.
#[must_use]
pub fn output_pieces(output: &str, edits: &[Edit]) -> Vec<TextPiece> {
    let marks = edits.iter().enumerate().flat_map(|(edit, e)| {
        let place = match e.kind {
            EditKind::Deletion => e.output.first().map(|s| TextPiece::Caret {
                at: caret_place(output, s.start),
                edit,
            }),
            EditKind::Split => e.output.last().map(|s| TextPiece::Bars { at: s.end, edit }),
            EditKind::Paraphrase => None,
        };
        place.into_iter()
    });

    let mut marks: Vec<(usize, TextPiece)> = marks.map(|piece| (offset(piece), piece)).collect();
    marks.sort_by_key(|(at, _)| *at);
    cut_pieces(output, edits, marks)
}

/// The place at which a caret for words left out at `at` is drawn: after the word before it, not after the space,
/// and after a word's ending such as `'s`, not before it.
#[must_use]
pub fn caret_place(output: &str, at: usize) -> usize {
    let (Some(before), Some(after)) = (output.get(..at), output.get(at..)) else {
        return at;
    };
    let word = before.trim_end();
    let gap = &before[word.len()..];
    if !gap.is_empty() {
        return if word.is_empty() || gap.contains('\n') {
            at
        } else {
            word.len()
        };
    }

    let ending = after.strip_prefix(['n', 'N']).unwrap_or(after);
    let is_ending = before.ends_with(char::is_alphanumeric)
        && ending.starts_with(['\'', '’'])
        && ending.chars().nth(1).is_some_and(char::is_alphabetic);
    if is_ending {
        let end = after.find(|sign: char| !(sign.is_alphanumeric() || matches!(sign, '\'' | '’')));
        at + end.unwrap_or(after.len())
    } else {
        at
    }
}

/// The offset at which a piece begins.
const fn offset(piece: TextPiece) -> usize {
    match piece {
        TextPiece::Gap { span, .. } | TextPiece::Word { span, .. } => span.start,
        TextPiece::Caret { at, .. } | TextPiece::Bars { at, .. } => at,
    }
}

fn cut_pieces(text: &str, edits: &[Edit], marks: Vec<(usize, TextPiece)>) -> Vec<TextPiece> {
    let mut stretches: Vec<(Span, usize)> = (0..)
        .zip(edits)
        .flat_map(|(edit, e)| {
            e.output
                .iter()
                .filter(|span| !span.is_empty() && span.slice(text).is_some())
                .map(move |span| (*span, edit))
        })
        .collect();
    stretches.sort_unstable();

    let marks = marks
        .into_iter()
        .filter(|(at, _)| text.is_char_boundary(*at));
    let mut marks = marks.peekable();
    let words = tokenise(text);
    let cuts = cut_offsets(text, &words, &stretches, marks.clone().map(|(at, _)| at));

    let mut pieces = Vec::with_capacity(cuts.len());
    for bounds in cuts.windows(2) {
        let span = Span::new(bounds[0], bounds[1]);
        while let Some((_, mark)) = marks.next_if(|(at, _)| *at <= span.start) {
            pieces.push(mark);
        }

        let next = words.partition_point(|word| word.span.end <= span.start);
        let is_word = words
            .get(next)
            .is_some_and(|word| word.span.start <= span.start);

        let before = stretches.partition_point(|(stretch, _)| stretch.start <= span.start);
        let stretch = stretches[..before]
            .last()
            .filter(|(stretch, _)| span.end <= stretch.end);
        let edit = stretch.map(|(_, edit)| *edit);

        pieces.push(if is_word {
            TextPiece::Word { span, edit }
        } else {
            TextPiece::Gap { span, edit }
        });
    }
    pieces.extend(marks.map(|(_, mark)| mark));
    pieces
}

/// All offsets where a piece may begin or end, ascending and distinct; the ends of the text are
/// included unless it is empty.
fn cut_offsets(
    text: &str,
    words: &[Token],
    stretches: &[(Span, usize)],
    marks: impl Iterator<Item = usize>,
) -> Vec<usize> {
    let bounds = |span: Span| [span.start, span.end];
    let mut cuts: Vec<usize> = words.iter().flat_map(|word| bounds(word.span)).collect();
    cuts.extend(stretches.iter().flat_map(|(span, _)| bounds(*span)));
    cuts.extend(marks);
    cuts.extend([0, text.len()]);
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::{align::align, edits::derive_edits, tokenised_text::TokenisedText};

    /// The pieces as one line: words of edit 1 as `1(word)`, carets `^1`, bars `||1`.
    fn drawn(text: &str, pieces: &[TextPiece]) -> String {
        let marked = |span: Span, edit: Option<usize>| {
            let inside = span.slice(text).unwrap_or("?").to_owned();
            edit.map_or_else(|| inside.clone(), |edit| format!("{edit}({inside})"))
        };
        let piece = |piece: &TextPiece| match *piece {
            TextPiece::Gap { span, edit } | TextPiece::Word { span, edit } => marked(span, edit),
            TextPiece::Caret { edit, .. } => format!("^{edit}"),
            TextPiece::Bars { edit, .. } => format!("||{edit}"),
        };
        pieces.iter().map(piece).collect()
    }

    #[test]
    fn words_carets_and_bars_stand_where_the_edits_are() {
        let source = "The very old boat sank, and its crew drowned.";
        let output = "The old boat went down. Its crew drowned.";
        let span = |text: &str, word: &str| {
            let start = text.find(word).expect("the word is there");
            Span::new(start, start + word.len())
        };
        let edit = |kind, from: &[&str], to: Span| Edit {
            kind,
            source: from.iter().map(|word| span(source, word)).collect(),
            output: vec![to],
            confidence: None,
        };
        let edits = [
            edit(EditKind::Deletion, &["very"], Span::at(3)),
            edit(EditKind::Paraphrase, &["sank"], span(output, "went down")),
            edit(EditKind::Split, &[", and"], Span::new(22, 23)),
        ];
        assert_eq!(
            drawn(output, &output_pieces(output, &edits)),
            "The^0 old boat 1(went)1( )1(down)2(.)||2 Its crew drowned."
        );
    }

    #[test]
    fn a_caret_is_beside_a_word_and_left_of_the_space() {
        let check = |text: &str, at: usize, expected: &str| {
            let mut drawn = text.to_owned();
            drawn.insert(caret_place(text, at), '‸');
            assert_eq!(drawn, expected);
        };
        check("the market", 4, "the‸ market");
        check("the market", 3, "the‸ market");
        check("the market", 0, "‸the market");
        check("the\nmarket", 4, "the\n‸market");
        check("Stern's boat", 5, "Stern's‸ boat");
        check("Stern’s", 5, "Stern’s‸");
        check("they don't go", 7, "they don't‸ go");
        check("They sank, old.", 9, "They sank‸, old.");
        check("the 'old' boat", 8, "the 'old‸' boat");
        check("旧船は沈没", 6, "旧船‸は沈没");
        // Within a character, or after the end.
        assert_eq!(caret_place("ä", 1), 1);
        assert_eq!(caret_place("ä", 9), 9);
    }

    #[test]
    fn a_stretch_that_does_not_fit_is_not_drawn() {
        let output = "sänk";
        let edit = |kind, span| Edit {
            kind,
            source: vec![],
            output: vec![span],
            confidence: None,
        };
        let edits = [
            edit(EditKind::Paraphrase, Span::new(0, 99)),
            edit(EditKind::Deletion, Span::at(2)),
        ];
        assert_eq!(drawn(output, &output_pieces(output, &edits)), "sänk");
    }

    proptest! {
        #[test]
        fn pieces_cover_the_output_and_show_every_edit(
            source in "([a-e]{1,2}|[,.;\\n])( ([a-e]{1,2}|[,.;\\n])){0,12}|\\PC{0,30}",
            output in "([a-e]{1,2}|[,.;\\n])( ([a-e]{1,2}|[,.;\\n])){0,12}|\\PC{0,30}",
        ) {
            let (from, to) = (TokenisedText::new(&source), TokenisedText::new(&output));
            let edits = derive_edits(&from, &to, &align(&from, &to));
            let shown = output_pieces(&output, &edits);
            let mut covered = String::new();
            for piece in &shown {
                if let TextPiece::Gap { span, .. } | TextPiece::Word { span, .. } = piece {
                    prop_assert_eq!(span.start, covered.len());
                    covered.push_str(span.slice(&output).expect("a place in the text"));
                }
            }
            prop_assert_eq!(&covered, &output);
            for (index, edit) in edits.iter().enumerate() {
                let shows = |piece: &TextPiece| match *piece {
                    TextPiece::Caret { edit, .. } | TextPiece::Bars { edit, .. } => edit == index,
                    TextPiece::Word { edit, .. } => edit == Some(index),
                    TextPiece::Gap { .. } => false,
                };
                prop_assert!(shown.iter().any(shows), "{:?}", edit);
            }
        }
    }
}
