//! Repair of edits that were stored before validation existed.

use super::{
    Edit,
    ops::{cut_out_span, spans_overlap},
    sort_edits,
    validate::has_shape,
};
use crate::span::Span;

/// Makes the edits of version 1 of [`edits`](crate::text::edits), and an annotator's edits based on
/// them, valid: white space that is an edit of its own, such as a line end that is a split, is removed
/// from every other edit. Edits keep their words, number and confidences; valid ones stay unchanged.
#[must_use]
pub fn repair(mut edits: Vec<Edit>, output: &str) -> Vec<Edit> {
    let breaks: Vec<Span> = edits
        .iter()
        .flat_map(|edit| edit.output.iter().copied())
        .filter(|span| span.slice(output).is_some_and(is_white_space))
        .collect();

    let mut repaired = false;
    for place in breaks {
        for edit in edits.iter_mut().filter(|edit| overlaps(edit, place)) {
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

/// Whether a stretch of the output other than the place itself overlaps it.
fn overlaps(edit: &Edit, place: Span) -> bool {
    let mut stretches = edit.output.iter();
    stretches.any(|span| *span != place && spans_overlap(*span, place))
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

    /// The edits that version 1 made of [`SOURCE`] and [`OUTPUT`].
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
        // A correction of repaired edits can be saved, and the repair itself does not count as a
        // correction.
        let corrected = ops::remove(repaired.clone(), 1);
        assert_eq!(validate(&corrected, SOURCE, OUTPUT), Ok(()));
        let figures = EditCorrections::from_edits(&version_1(), &repaired, SOURCE, OUTPUT);
        assert!(!figures.has_corrections());
        // So can a correction made before the repair.
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
            // As in version 1: an edit spans from its first to its last word, over splits between them.
            if !edits.is_empty() {
                let at = joined.index(edits.len());
                let breaks = |span: &Span| span.slice(&output).is_some_and(is_white_space);
                let others: Vec<Span> = edits.iter().flat_map(|edit| edit.output.clone()).collect();
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
