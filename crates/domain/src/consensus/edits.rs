//! The edits of a consensus as marks, so that they are decided as marks are. Unlike the marks of
//! [`edit_marks`](crate::span_marks::edit_marks), these show both sides of an edit: which words of the source a paraphrase
//! replaces is what a word alignment is made of.

use crate::{
    edit::{Edit, EditKind, ops::spans_overlap, shown_edits, sort_edits},
    span::Span,
    span_marks::{SpanMark, sort_marks},
};

/// The marks of those edits that carry one, with the source and the output.
pub(super) fn marks_of_given(edits: Vec<Edit>, (source, output): (&str, &str)) -> Vec<SpanMark> {
    let edits = shown_edits(edits, source, output);
    let mut marks: Vec<_> = edits
        .iter()
        .filter(|edit| edit.is_shown())
        .map(mark_of_edit)
        .collect();
    sort_marks(&mut marks);
    marks
}

/// The marks of edits that people confirmed; automatic edits among them carry none.
pub(super) fn marks_of_confirmed(edits: &[Edit]) -> Vec<SpanMark> {
    let confirmed = edits.iter().filter(|edit| edit.confidence.is_none());
    let mut marks: Vec<_> = confirmed.map(mark_of_edit).collect();
    sort_marks(&mut marks);
    marks
}

/// The edits of those marks, as people confirmed them: each is the first of the `known` edits with its words, and
/// `automatic` edits that carry no mark stay where no kept edit has their words. A mark that no known edit has is left out.
pub(super) fn confirm_edits(
    marks: &[SpanMark],
    known: &[Edit],
    automatic: &[Edit],
    (source, output): (&str, &str),
) -> Vec<Edit> {
    let edits = marks.iter().filter_map(|mark| {
        let edit = known.iter().find(|edit| mark_of_edit(edit) == *mark)?;
        Some(Edit {
            confidence: None,
            ..edit.clone()
        })
    });
    let mut edits: Vec<_> = edits.collect();

    let silent = automatic.iter().filter(|edit| {
        edit.is_silent(source, output) && !edits.iter().any(|kept| share_words(kept, edit))
    });
    let silent: Vec<_> = silent.cloned().collect();
    edits.extend(silent);

    sort_edits(&mut edits);
    edits
}

fn share_words(one: &Edit, other: &Edit) -> bool {
    any_overlap(&one.source, &other.source) || any_overlap(&one.output, &other.output)
}

fn any_overlap(one: &[Span], other: &[Span]) -> bool {
    let mut spans = one.iter();
    spans.any(|span| other.iter().any(|place| spans_overlap(*span, *place)))
}

/// An edit as a mark, without the place of words that were left out: where exactly it is, nobody sees.
fn mark_of_edit(edit: &Edit) -> SpanMark {
    let output = match edit.kind {
        EditKind::Deletion => vec![],
        EditKind::Paraphrase | EditKind::Split => edit.output.clone(),
    };
    SpanMark {
        kind: edit.kind.title().to_owned(),
        level: None,
        source: edit.source.clone(),
        output,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: (&str, &str) = ("In June, the boats sank.", "The boats went down.");

    fn edit(kind: EditKind, source: &[(usize, usize)], output: &[(usize, usize)]) -> Edit {
        let spans = |spans: &[(usize, usize)]| {
            let spans = spans.iter().map(|(start, end)| Span::new(*start, *end));
            spans.collect()
        };
        Edit {
            kind,
            source: spans(source),
            output: spans(output),
            confidence: Some(0.9),
        }
    }

    /// Automatic edits: words left out, a comma left out, and other words.
    fn automatic() -> Vec<Edit> {
        vec![
            edit(EditKind::Deletion, &[(0, 7)], &[(0, 0)]),
            edit(EditKind::Deletion, &[(7, 8)], &[(0, 0)]),
            edit(EditKind::Paraphrase, &[(19, 23)], &[(10, 19)]),
        ]
    }

    #[test]
    fn marks_become_the_edits_that_they_came_from_beside_those_without_a_mark() {
        let marks = marks_of_given(automatic(), TEXTS);
        let edits = confirm_edits(&marks, &automatic(), &automatic(), TEXTS);
        let confidences: Vec<_> = edits.iter().map(|edit| edit.confidence).collect();
        assert_eq!(confidences, [None, Some(0.9), None]);
        let mut pairs = edits.iter().zip(automatic());
        assert!(pairs.all(|(edit, own)| edit.is_same_change(&own)));
        assert_eq!(marks_of_confirmed(&edits), marks);
        // The comma alone stays where nothing is kept.
        let none = confirm_edits(&[], &automatic(), &automatic(), TEXTS);
        assert_eq!(none, automatic()[1..2]);
    }

    #[test]
    fn paraphrases_of_other_words_differ_and_hold_the_words_that_were_kept() {
        let known = [
            edit(EditKind::Paraphrase, &[(13, 23)], &[(10, 19)]),
            edit(EditKind::Paraphrase, &[(19, 23)], &[(10, 19)]),
            edit(EditKind::Deletion, &[(0, 8)], &[(0, 0)]),
        ];
        let marks = marks_of_given(known.to_vec(), TEXTS);
        assert_eq!(marks.len(), 3);
        let kept = [mark_of_edit(&known[1]), mark_of_edit(&known[2])];
        // The deletion has the comma, too.
        let edits = confirm_edits(&kept, &known, &automatic(), TEXTS);
        assert_eq!(edits.len(), 2);
        assert!(edits[1].is_same_change(&known[1]));
    }
}
