//! Validation of edits against their texts, for everything that a browser sends.

use super::{Edit, EditKind};
use crate::span::Span;

/// The reason why edits do not fit their texts. Edits are numbered from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// A stretch is not in its text, or begins or ends within a character.
    #[error("edit {0} names a place that is not in its text")]
    Outside(usize),
    /// Stretches of one edit overlap or are not in order.
    #[error("the stretches of edit {0} overlap or are out of order")]
    Stretches(usize),
    /// The edit lacks the stretches that its kind needs.
    #[error("edit {0} has not the words that an edit of its kind has")]
    Shape(usize),
    /// The confidence is not between 0 and 1.
    #[error("the confidence of edit {0} is not between 0 and 1")]
    Confidence(usize),
    /// Two edits claim the same word.
    #[error("edit {0} and another one hold the same word")]
    Overlap(usize),
    /// The edits are not sorted by their place in the output.
    #[error("edit {0} is out of the output's order")]
    Order(usize),
}

/// Checks that `edits` turn `source` into `output`, are sorted by their place in the output, share no
/// character, and have the shape of their kind: a deletion has words of the source and one place in the
/// output, a paraphrase has words of the output, a split has words of the output or one place in it.
///
/// # Errors
/// The first edit that does not fit, with the reason.
pub fn validate(edits: &[Edit], source: &str, output: &str) -> Result<(), EditError> {
    for (number, edit) in (1..).zip(edits) {
        check_edit(edit, source, output).map_err(|reason| reason(number))?;
    }
    let unordered = edits
        .windows(2)
        .position(|pair| pair[0].sort_key() > pair[1].sort_key());
    if let Some(index) = unordered {
        return Err(EditError::Order(index + 2));
    }
    check_disjoint(edits, |edit| &edit.source)?;
    check_disjoint(edits, |edit| &edit.output)
}

fn check_edit(edit: &Edit, source: &str, output: &str) -> Result<(), fn(usize) -> EditError> {
    if !fit_text(&edit.source, source) || !fit_text(&edit.output, output) {
        return Err(EditError::Outside);
    }
    if !are_ascending(&edit.source) || !are_ascending(&edit.output) {
        return Err(EditError::Stretches);
    }
    if !has_shape(edit) {
        return Err(EditError::Shape);
    }
    match edit.confidence {
        Some(value) if !(0.0..=1.0).contains(&value) => Err(EditError::Confidence),
        _ => Ok(()),
    }
}

fn fit_text(spans: &[Span], text: &str) -> bool {
    spans.iter().all(|span| span.slice(text).is_some())
}

fn are_ascending(spans: &[Span]) -> bool {
    spans.windows(2).all(|pair| pair[0].end <= pair[1].start)
}

fn are_words(spans: &[Span]) -> bool {
    spans.iter().all(|span| !span.is_empty())
}

/// Whether the edit has the stretches that its kind needs.
pub(super) fn has_shape(edit: &Edit) -> bool {
    let place = matches!(edit.output.as_slice(), [span] if span.is_empty());
    let output_words = !edit.output.is_empty() && are_words(&edit.output);
    let has_shape = match edit.kind {
        EditKind::Deletion => !edit.source.is_empty() && place,
        EditKind::Paraphrase => output_words,
        EditKind::Split => output_words || place,
    };
    has_shape && are_words(&edit.source)
}

fn check_disjoint(edits: &[Edit], side: impl Fn(&Edit) -> &Vec<Span>) -> Result<(), EditError> {
    let mut spans: Vec<(Span, usize)> = (1..)
        .zip(edits)
        .flat_map(|(number, edit)| side(edit).iter().map(move |span| (*span, number)))
        .filter(|(span, _)| !span.is_empty())
        .collect();
    spans.sort_unstable();
    match spans
        .windows(2)
        .find(|pair| pair[0].0.end > pair[1].0.start)
    {
        Some(pair) => Err(EditError::Overlap(pair[1].1)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "Old boats sank.";
    const OUTPUT: &str = "Ships sänk.";

    fn edit(kind: EditKind, source: &[(usize, usize)], output: &[(usize, usize)]) -> Edit {
        let spans =
            |pairs: &[(usize, usize)]| pairs.iter().map(|&(a, b)| Span::new(a, b)).collect();
        Edit {
            kind,
            source: spans(source),
            output: spans(output),
            confidence: None,
        }
    }

    #[test]
    fn edits_that_fit_are_taken() {
        let edits = [
            edit(EditKind::Deletion, &[(0, 3)], &[(0, 0)]),
            edit(EditKind::Paraphrase, &[(4, 9)], &[(0, 5)]),
            edit(EditKind::Split, &[], &[(11, 12)]),
        ];
        assert_eq!(validate(&edits, SOURCE, OUTPUT), Ok(()));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        use EditKind::{Deletion, Paraphrase};
        let check = |edits: &[Edit], expected| {
            assert_eq!(validate(edits, SOURCE, OUTPUT), Err(expected));
        };
        check(&[edit(Paraphrase, &[], &[(0, 99)])], EditError::Outside(1));
        check(&[edit(Paraphrase, &[], &[(6, 8)])], EditError::Outside(1));
        check(
            &[edit(Paraphrase, &[(9, 4)], &[(0, 5)])],
            EditError::Outside(1),
        );
        check(
            &[edit(Paraphrase, &[], &[(6, 7), (0, 5)])],
            EditError::Stretches(1),
        );
        check(&[edit(Deletion, &[(0, 3)], &[(0, 5)])], EditError::Shape(1));
        check(&[edit(Deletion, &[], &[(0, 0)])], EditError::Shape(1));
        check(&[edit(Paraphrase, &[], &[])], EditError::Shape(1));
        let word = edit(Paraphrase, &[], &[(0, 5)]);
        check(
            &[Edit {
                confidence: Some(f64::NAN),
                ..word.clone()
            }],
            EditError::Confidence(1),
        );
        check(&[word.clone(), word.clone()], EditError::Overlap(2));
        check(
            &[word, edit(Deletion, &[(0, 3)], &[(0, 0)])],
            EditError::Order(2),
        );
    }
}
