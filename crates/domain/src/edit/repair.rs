//! Edits that were stored before they had to be valid.

use super::{
    Edit,
    ops::{cut_out_span, spans_overlap},
    sort_edits,
    validate::has_shape,
};
use crate::span::Span;

/// Valid edits of those that version 1 of [`edits`](crate::text::edits) made, or that a person made
/// of them: where one edit is white space alone, such as a line end that is a split, no other edit
/// holds it any longer. Edits keep their words, their number and their confidences; valid ones stay
/// exactly as they are.
#[must_use]
pub fn repair(mut edits: Vec<Edit>, output: &str) -> Vec<Edit> {
    let is_break = |span: &Span| span.slice(output).is_some_and(is_white_space);
    let breaks: Vec<Span> = edits
        .iter()
        .flat_map(|edit| edit.output.iter().copied().filter(is_break))
        .collect();
    let holds = |edit: &Edit, place: Span| {
        let mut stretches = edit.output.iter();
        stretches.any(|span| *span != place && spans_overlap(*span, place))
    };
    let mut repaired = false;
    for place in breaks {
        for edit in edits.iter_mut().filter(|edit| holds(edit, place)) {
            edit.output = cut_out_span(&edit.output, place, output);
            repaired = true;
        }
    }
    if repaired {
        edits.retain(has_shape);
        sort_edits(&mut edits);
    }
    edits
}

fn is_white_space(text: &str) -> bool {
    !text.is_empty() && text.chars().all(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        edit::{
            EditKind,
            corrections::EditCorrections,
            ops,
            validate::{EditError, validate},
        },
        text::{
            align::align, edits::derive_edits, test_texts::hostile_text,
            tokenised_text::TokenisedText,
        },
    };

    const SOURCE: &str = "£5000.";
    const OUTPUT: &str = "th\ne";

    fn edit(kind: EditKind, source: &[(usize, usize)], output: &[(usize, usize)]) -> Edit {
        let spans = |all: &[(usize, usize)]| all.iter().map(|&(a, b)| Span::new(a, b)).collect();
        Edit {
            kind,
            source: spans(source),
            output: spans(output),
            confidence: Some(0.5),
        }
    }

    /// What version 1 made of [`SOURCE`] and [`OUTPUT`].
    fn version_1() -> Vec<Edit> {
        vec![
            edit(EditKind::Paraphrase, &[(0, SOURCE.len())], &[(0, 4)]),
            edit(EditKind::Split, &[], &[(2, 3)]),
        ]
    }

    #[test]
    fn a_line_end_that_two_edits_hold_is_the_splits() {
        let before = validate(&version_1(), SOURCE, OUTPUT);
        assert_eq!(before, Err(EditError::Overlap(2)));
        let repaired = repair(version_1(), OUTPUT);
        assert_eq!(
            repaired,
            [
                edit(
                    EditKind::Paraphrase,
                    &[(0, SOURCE.len())],
                    &[(0, 2), (3, 4)]
                ),
                edit(EditKind::Split, &[], &[(2, 3)]),
            ]
        );
        // A correction of them can be saved, and what was repaired counts as left as it was.
        let corrected = ops::remove(repaired.clone(), 1);
        assert_eq!(validate(&corrected, SOURCE, OUTPUT), Ok(()));
        let figures = EditCorrections::from_edits(&version_1(), &repaired, SOURCE, OUTPUT);
        assert!(!figures.has_corrections());
        // As can one that was made of the edits before they were repaired.
        let deleted = ops::retype(version_1(), 1, EditKind::Paraphrase);
        assert_eq!(validate(&repair(deleted, OUTPUT), SOURCE, OUTPUT), Ok(()));
    }

    proptest! {
        #[test]
        fn valid_edits_stay_and_joined_ones_are_repaired(
            source in hostile_text(),
            output in hostile_text(),
            joined in any::<prop::sample::Index>(),
        ) {
            let (from, to) = (TokenisedText::new(&source), TokenisedText::new(&output));
            let mut edits = derive_edits(&from, &to, &align(&from, &to));
            prop_assert_eq!(repair(edits.clone(), &output), edits.clone());
            // As version 1 had it: an edit from its first to its last word, over splits between.
            if !edits.is_empty() {
                let at = joined.index(edits.len());
                let breaks = |span: &Span| span.slice(&output).is_some_and(is_white_space);
                let others: Vec<Span> = edits.iter().flat_map(|it| it.output.clone()).collect();
                let edit = &mut edits[at];
                if let (Some(first), Some(last)) = (edit.output.first(), edit.output.last()) {
                    let whole = Span::new(first.start, last.end);
                    let over = |span: &&Span| spans_overlap(**span, whole) && !edit.output.contains(*span);
                    if others.iter().filter(over).all(breaks) {
                        edit.output = vec![whole];
                    }
                }
                prop_assert_eq!(validate(&repair(edits, &output), &source, &output), Ok(()));
            }
        }
    }
}
