//! The units that the arrow keys of step 2 move over: words, stretches of words of one edit,
//! carets and bars.

use crate::{
    edit::Edit,
    span::Span,
    text::{
        display::{TextPiece, output_pieces},
        tokenise::tokenise,
    },
};

/// A part of an output, in the order of drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NavigationUnit {
    /// White space between other units; not a stop.
    Gap(Span),
    /// A word outside edits.
    Word(Span),
    /// Adjacent words of one edit.
    Stretch {
        /// Their span, including the white space between them.
        span: Span,
        /// The index of the edit.
        edit: usize,
    },
    /// The place of deleted words.
    Caret {
        /// The offset in the text.
        at: usize,
        /// The index of the edit.
        edit: usize,
    },
    /// The bars of an added sentence end.
    Bars {
        /// The offset in the text.
        at: usize,
        /// The index of the edit.
        edit: usize,
    },
}

impl NavigationUnit {
    /// The edit that it belongs to.
    #[must_use]
    pub const fn edit(self) -> Option<usize> {
        match self {
            Self::Gap(_) | Self::Word(_) => None,
            Self::Stretch { edit, .. } | Self::Caret { edit, .. } | Self::Bars { edit, .. } => {
                Some(edit)
            }
        }
    }

    /// Its span in the text; empty for a caret and for bars.
    #[must_use]
    pub const fn span(self) -> Span {
        match self {
            Self::Gap(span) | Self::Word(span) | Self::Stretch { span, .. } => span,
            Self::Caret { at, .. } | Self::Bars { at, .. } => Span::at(at),
        }
    }

    /// Whether the arrow keys stop at it.
    #[must_use]
    pub const fn is_stop(self) -> bool {
        !matches!(self, Self::Gap(_))
    }
}

/// The units of an output: their spans cover it exactly, in order.
#[must_use]
pub fn split_units(output: &str, edits: &[Edit]) -> Vec<NavigationUnit> {
    let pieces = output_pieces(output, edits);
    let mut units: Vec<NavigationUnit> = Vec::with_capacity(pieces.len());
    for (index, piece) in pieces.iter().enumerate() {
        let unit = match *piece {
            TextPiece::Caret { at, edit } => NavigationUnit::Caret { at, edit },
            TextPiece::Bars { at, edit } => NavigationUnit::Bars { at, edit },
            TextPiece::Word { span, edit: None } => NavigationUnit::Word(span),
            TextPiece::Word {
                span,
                edit: Some(edit),
            }
            | TextPiece::Gap {
                span,
                edit: Some(edit),
            } => NavigationUnit::Stretch { span, edit },
            TextPiece::Gap { span, edit: None } => match (units.last(), pieces.get(index + 1)) {
                // A gap between two words of the same edit belongs to them.
                (
                    Some(NavigationUnit::Stretch { edit, .. }),
                    Some(TextPiece::Word {
                        edit: Some(next), ..
                    }),
                ) if edit == next => NavigationUnit::Stretch { span, edit: *edit },
                _ => NavigationUnit::Gap(span),
            },
        };

        match (units.last_mut(), unit) {
            (
                Some(NavigationUnit::Stretch {
                    span: last,
                    edit: held,
                }),
                NavigationUnit::Stretch { span, edit },
            ) if *held == edit => {
                last.end = span.end;
            }
            _ => units.push(unit),
        }
    }
    units
}

/// The stop `by` stops after the one at `from`, or the last one if there are
/// fewer.
#[must_use]
pub fn move_to_stop(units: &[NavigationUnit], from: usize, by: isize) -> usize {
    let stops: Vec<usize> = (0..units.len()).filter(|at| units[*at].is_stop()).collect();
    let current = stops.iter().position(|at| *at >= from).unwrap_or_default();
    let to = current
        .saturating_add_signed(by)
        .min(stops.len().saturating_sub(1));
    stops.get(to).copied().unwrap_or_default()
}

/// The stop at an offset of the text, or the first one after it.
#[must_use]
pub fn find_stop(units: &[NavigationUnit], offset: usize) -> usize {
    let position = units
        .iter()
        .position(|unit| unit.is_stop() && offset < unit.span().end.max(unit.span().start + 1));
    position.unwrap_or_else(|| move_to_stop(units, units.len(), isize::MAX))
}

/// The words in a stretch of a text.
#[must_use]
pub fn find_words(text: &str, stretches: &[Span]) -> Vec<Span> {
    let words = tokenise(text).into_iter().map(|token| token.span);
    words
        .filter(|word| {
            stretches
                .iter()
                .any(|s| s.start <= word.start && word.end <= s.end)
        })
        .collect()
}

/// The stretches of words given by their indices in `words`: adjacent words form one stretch.
#[must_use]
pub fn join_words(words: &[Span], chosen: impl Fn(usize) -> bool) -> Vec<Span> {
    let mut stretches: Vec<Span> = vec![];
    let mut previous = None;
    for (at, word) in words.iter().enumerate().filter(|(at, _)| chosen(*at)) {
        match stretches.last_mut() {
            Some(last) if at.checked_sub(1) == previous => last.end = word.end,
            _ => stretches.push(*word),
        }
        previous = Some(at);
    }
    stretches
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        edit::EditKind,
        text::{align::align, edits::derive_edits, tokenised_text::TokenisedText},
    };

    const OUTPUT: &str = "The boat went down. Its crew drowned.";

    fn drawn(edits: &[Edit]) -> Vec<String> {
        let draw = |unit: &NavigationUnit| match unit {
            NavigationUnit::Gap(_) => None,
            NavigationUnit::Word(span) => span.slice(OUTPUT).map(str::to_owned),
            NavigationUnit::Stretch { span, edit } => {
                span.slice(OUTPUT).map(|text| format!("{edit}({text})"))
            }
            NavigationUnit::Caret { edit, .. } => Some(format!("^{edit}")),
            NavigationUnit::Bars { edit, .. } => Some(format!("||{edit}")),
        };
        split_units(OUTPUT, edits).iter().filter_map(draw).collect()
    }

    fn edit(kind: EditKind, output: &[(usize, usize)]) -> Edit {
        let output = output
            .iter()
            .map(|(start, end)| Span::new(*start, *end))
            .collect();
        Edit {
            kind,
            source: vec![],
            output,
            confidence: None,
        }
    }

    #[test]
    fn words_of_one_edit_are_walked_over_as_one() {
        let edits = [
            edit(EditKind::Deletion, &[(3, 3)]),
            edit(EditKind::Paraphrase, &[(9, 13), (14, 18)]),
            edit(EditKind::Split, &[(18, 19)]),
        ];
        let expect = [
            "The",
            "^0",
            "boat",
            "1(went down)",
            "2(.)",
            "||2",
            "Its",
            "crew",
            "drowned",
            ".",
        ];
        assert_eq!(drawn(&edits), expect);
        let units = split_units(OUTPUT, &edits);
        let boat = find_stop(&units, 4);
        assert_eq!(units[boat].span().slice(OUTPUT), Some("boat"));
        assert_eq!(units[move_to_stop(&units, boat, 1)].edit(), Some(1));
        assert_eq!(
            units[move_to_stop(&units, boat, -1)],
            NavigationUnit::Caret { at: 3, edit: 0 }
        );
        assert_eq!(move_to_stop(&units, boat, -99), 0);
        assert_eq!(
            units[move_to_stop(&units, boat, 99)].span().slice(OUTPUT),
            Some(".")
        );
    }

    #[test]
    fn words_next_to_each_other_make_a_stretch() {
        let words = [Span::new(0, 3), Span::new(4, 8), Span::new(9, 13)];
        assert_eq!(join_words(&words, |_| true), [Span::new(0, 13)]);
        assert_eq!(
            join_words(&words, |at| at != 1),
            [Span::new(0, 3), Span::new(9, 13)]
        );
        assert_eq!(
            find_words(OUTPUT, &[Span::new(3, 13)]),
            [Span::new(4, 8), Span::new(9, 13)]
        );
    }

    proptest! {
        #[test]
        fn units_cover_the_text_and_stops_are_stops(
            source in "\\PC{0,30}|([a-e]{1,2}|[,.;])( ([a-e]{1,2}|[,.;])){0,12}",
            output in "\\PC{0,30}|([a-e]{1,2}|[,.;])( ([a-e]{1,2}|[,.;])){0,12}",
            from in 0usize..40,
            by in -50isize..50,
        ) {
            let (a, b) = (TokenisedText::new(&source), TokenisedText::new(&output));
            let edits = derive_edits(&a, &b, &align(&a, &b));
            let units = split_units(&output, &edits);
            let mut end = 0;
            for unit in &units {
                prop_assert_eq!(unit.span().start, end);
                end = unit.span().end;
            }
            prop_assert_eq!(end, output.len());
            if units.iter().any(|unit| unit.is_stop()) {
                prop_assert!(units[move_to_stop(&units, from, by)].is_stop());
                prop_assert!(units[find_stop(&units, from)].is_stop());
            }
        }
    }
}
