//! Edits as marks, so that those expected of annotators who check edits are written, stored and compared like marks, and
//! those that raters agree on are decided like marks.

use super::{
    SpanMark, sort_marks,
    taxonomy::{MarkedSides, SpanTaxonomy, SpanType},
};
use crate::{
    edit::{Edit, EditKind, ops::spans_overlap, shown_edits, sort_edits},
    span::Span,
};

/// The kinds of edits as types of marks: words of the source that were left out, and words of the output otherwise.
#[must_use]
pub fn edit_types() -> SpanTaxonomy {
    let kind = |kind: EditKind| SpanType {
        name: kind.title().to_owned(),
        sides: match kind {
            EditKind::Deletion => MarkedSides::Source,
            EditKind::Paraphrase | EditKind::Split => MarkedSides::Output,
        },
        ..SpanType::default()
    };
    SpanTaxonomy {
        types: EditKind::ALL.map(kind).to_vec(),
        ..SpanTaxonomy::default()
    }
}

/// The edits that carry a mark as marks of the [`edit_types`], with the source and the output.
#[must_use]
pub fn marks_of_edits(edits: Vec<Edit>, (source, output): (&str, &str)) -> Vec<SpanMark> {
    let edits = shown_edits(edits, source, output);
    let mut marks: Vec<_> = edits
        .iter()
        .filter(|edit| edit.is_shown())
        .map(mark_of_edit)
        .collect();
    sort_marks(&mut marks);
    marks
}

/// The edits of those marks, as people confirmed them: each is the first of the `known` edits with its words, and
/// `automatic` edits that carry no mark stay where no kept edit has their words. A mark that no known edit has is left out.
///
/// A mark does not show which words of the source a paraphrase replaces, so these give way to deletions of the same words.
#[must_use]
pub fn confirm_edits(
    marks: &[SpanMark],
    known: &[Edit],
    automatic: &[Edit],
    (source, output): (&str, &str),
) -> Vec<Edit> {
    let of_mark = |mark: &SpanMark| {
        let mut known = known.iter();
        let edit = known.find(|edit| mark_of_edit(edit) == *mark)?;
        Some(Edit {
            confidence: None,
            ..edit.clone()
        })
    };
    let mut edits: Vec<_> = marks.iter().filter_map(of_mark).collect();
    edits.sort_by_key(|edit| edit.kind != EditKind::Deletion);
    let mut held: Vec<Span> = vec![];
    for edit in &mut edits {
        if edit.kind != EditKind::Deletion {
            edit.source.retain(|span| !overlap_any(*span, &held));
        }
        held.extend(&edit.source);
    }
    let is_free = |edit: &Edit| {
        let mut others = edits.iter();
        others.all(|other| {
            let of = |edit: &Edit, other: &Edit, side: fn(&Edit) -> &Vec<Span>| {
                side(edit)
                    .iter()
                    .any(|span| overlap_any(*span, side(other)))
            };
            !of(edit, other, |edit| &edit.source) && !of(edit, other, |edit| &edit.output)
        })
    };
    let silent = automatic
        .iter()
        .filter(|edit| edit.is_silent(source, output) && is_free(edit));
    let silent: Vec<_> = silent.cloned().collect();
    edits.extend(silent);
    sort_edits(&mut edits);
    edits
}

fn overlap_any(span: Span, others: &[Span]) -> bool {
    others.iter().any(|other| spans_overlap(span, *other))
}

/// The marks of edits that people confirmed; automatic ones beside these carry none.
#[must_use]
pub fn marks_of_confirmed(edits: &[Edit]) -> Vec<SpanMark> {
    let confirmed = edits.iter().filter(|edit| edit.confidence.is_none());
    let mut marks: Vec<_> = confirmed.map(mark_of_edit).collect();
    sort_marks(&mut marks);
    marks
}

fn mark_of_edit(edit: &Edit) -> SpanMark {
    let (source, output) = match edit.kind {
        EditKind::Deletion => (edit.source.clone(), vec![]),
        EditKind::Paraphrase | EditKind::Split => (vec![], edit.output.clone()),
    };
    SpanMark {
        kind: edit.kind.title().to_owned(),
        level: None,
        source,
        output,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::validate::validate;

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
    fn edits_become_marks_of_their_kinds_without_changes_of_punctuation() {
        let marks = marks_of_edits(automatic(), TEXTS);
        let named: Vec<_> = marks
            .iter()
            .map(|mark| (mark.kind.as_str(), mark.source.len(), mark.output.len()))
            .collect();
        assert_eq!(named, [("Deletion", 1, 0), ("Paraphrase", 0, 1)]);
        let types = edit_types();
        assert!(marks.iter().all(|mark| mark.gap(&types).is_none()));
    }

    #[test]
    fn marks_become_the_edits_that_they_came_from_confirmed_beside_those_without_a_mark() {
        let marks = marks_of_edits(automatic(), TEXTS);
        let edits = confirm_edits(&marks, &automatic(), &automatic(), TEXTS);
        let confidences: Vec<_> = edits.iter().map(|edit| edit.confidence).collect();
        assert_eq!(confidences, [None, Some(0.9), None]);
        assert!(
            edits
                .iter()
                .zip(automatic())
                .all(|(edit, own)| edit.is_same_change(&own))
        );
        assert_eq!(marks_of_confirmed(&edits), marks);
        // The comma alone stays where nothing is kept.
        assert_eq!(
            confirm_edits(&[], &automatic(), &automatic(), TEXTS).len(),
            1
        );
    }

    #[test]
    fn words_that_are_kept_as_left_out_are_no_longer_replaced() {
        // One rater says that “sank” was left out, the other one that it was replaced.
        let known = [
            edit(EditKind::Paraphrase, &[(19, 23)], &[(10, 19)]),
            edit(EditKind::Deletion, &[(7, 8), (19, 23)], &[(19, 19)]),
        ];
        let marks: Vec<_> = known.iter().map(mark_of_edit).collect();
        let edits = confirm_edits(&marks, &known, &automatic(), TEXTS);
        let expected = [(EditKind::Paraphrase, 0), (EditKind::Deletion, 2)];
        let kept: Vec<_> = edits
            .iter()
            .map(|edit| (edit.kind, edit.source.len()))
            .collect();
        assert_eq!(kept, expected);
        assert_eq!(validate(&edits, TEXTS.0, TEXTS.1), Ok(()));
    }
}
