//! Edits as marks, so that those expected of annotators who check edits are written, stored and compared like marks.

use super::{
    SpanMark, sort_marks,
    taxonomy::{MarkedSides, SpanTaxonomy, SpanType},
};
use crate::edit::{Edit, EditKind, shown_edits};

/// The kinds of edits as types of marks: words of the source that were left out, and words of the output otherwise.
#[must_use]
pub fn edit_types() -> SpanTaxonomy {
    let types = EditKind::ALL.map(|kind| SpanType {
        name: kind.title().to_owned(),
        sides: match kind {
            EditKind::Deletion => MarkedSides::Source,
            EditKind::Paraphrase | EditKind::Split => MarkedSides::Output,
        },
        ..SpanType::default()
    });
    SpanTaxonomy {
        types: types.to_vec(),
        ..SpanTaxonomy::default()
    }
}

/// The edits that carry a mark as marks of the [`edit_types`], with the source and the output.
#[must_use]
pub fn marks_of_edits(edits: Vec<Edit>, (source, output): (&str, &str)) -> Vec<SpanMark> {
    let edits = shown_edits(edits, source, output).into_iter();
    let mut marks: Vec<_> = edits.filter(Edit::is_shown).map(mark_of_edit).collect();
    sort_marks(&mut marks);
    marks
}

/// The mark of an edit: on its words of the source for a deletion, of the output otherwise.
fn mark_of_edit(edit: Edit) -> SpanMark {
    let (source, output) = match edit.kind {
        EditKind::Deletion => (edit.source, vec![]),
        EditKind::Paraphrase | EditKind::Split => (vec![], edit.output),
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
    use crate::span::Span;

    #[test]
    fn edits_become_marks_of_their_kinds_without_changes_of_punctuation() {
        let (source, output) = ("In June, the boats sank.", "The boats went down.");
        let edit = |kind, source: &[(usize, usize)], output: &[(usize, usize)]| {
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
        };
        let edits = vec![
            edit(EditKind::Deletion, &[(0, 7)], &[(0, 0)]),
            edit(EditKind::Deletion, &[(7, 8)], &[(0, 0)]),
            edit(EditKind::Paraphrase, &[(19, 23)], &[(10, 19)]),
        ];
        let marks = marks_of_edits(edits, (source, output));
        let named: Vec<_> = marks
            .iter()
            .map(|mark| (mark.kind.as_str(), mark.source.len(), mark.output.len()))
            .collect();
        assert_eq!(named, [("Deletion", 1, 0), ("Paraphrase", 0, 1)]);
        let types = edit_types();
        assert!(marks.iter().all(|mark| mark.gap(&types).is_none()));
    }
}
