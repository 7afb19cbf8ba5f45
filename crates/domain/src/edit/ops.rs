//! The annotator's operations on edits in step 2, as functions from edits to edits.
//!
//! All are total: an impossible operation (on a missing edit, or a deletion of nothing) leaves the
//! edits unchanged. Valid edits stay valid. An edit that an annotator touched loses its confidence.

use super::{Edit, EditKind, sort_edits, validate::has_shape};
use crate::span::Span;

/// Whether [`retype`] can change the edit to that kind: a deletion needs words of the source, a
/// paraphrase words of the output.
#[must_use]
pub fn can_retype(edit: &Edit, kind: EditKind) -> bool {
    try_retype(edit, kind).is_some()
}

/// Changes the kind of an edit. Words of the output that become a deletion's caret are no longer
/// marked.
#[must_use]
pub fn retype(mut edits: Vec<Edit>, index: usize, kind: EditKind) -> Vec<Edit> {
    if let Some(edit) = edits.get_mut(index)
        && let Some(retyped) = try_retype(edit, kind)
    {
        *edit = retyped;
    }
    sorted_edits(edits)
}

/// Removes an edit.
#[must_use]
pub fn remove(mut edits: Vec<Edit>, index: usize) -> Vec<Edit> {
    if index < edits.len() {
        edits.remove(index);
    }
    edits
}

/// Confirms an edit as it is: it loses its confidence, as an edit that a person made has none.
#[must_use]
pub fn confirm(mut edits: Vec<Edit>, index: usize) -> Vec<Edit> {
    if let Some(edit) = edits.get_mut(index) {
        edit.confidence = None;
    }
    edits
}

/// Merges two edits: to a split if either is one, else a paraphrase if either is one. A deletion joined to new
/// words thus becomes their source.
#[must_use]
pub fn join(mut edits: Vec<Edit>, one: usize, other: usize) -> Vec<Edit> {
    let (first, next) = (one.min(other), one.max(other));
    if first == next || next >= edits.len() {
        return edits;
    }

    let next = edits.remove(next);
    let first = edits.remove(first);
    let kind = [EditKind::Split, EditKind::Paraphrase, EditKind::Deletion]
        .into_iter()
        .find(|&kind| first.kind == kind || next.kind == kind)
        .unwrap_or(first.kind);

    let place = first.output.first().copied();
    let mut output = merge_spans(first.output.into_iter().chain(next.output));
    if output.is_empty() {
        output.extend(place);
    }
    let source = merge_spans(first.source.into_iter().chain(next.source));

    edits.push(Edit {
        kind,
        source,
        output,
        confidence: None,
    });
    sorted_edits(edits)
}

/// Marks a word of the output as new. It leaves the edit that it belonged to.
#[must_use]
pub fn add_word(edits: Vec<Edit>, word: Span, output: &str) -> Vec<Edit> {
    let mut edits = unmark_word(edits, word, output);
    if !word.is_empty() {
        let kind = EditKind::Paraphrase;
        edits.push(Edit {
            kind,
            source: Vec::new(),
            output: vec![word],
            confidence: None,
        });
    }
    sorted_edits(edits)
}

/// Adds a word of the output to an edit. It leaves the edit that it belonged to. A deletion takes no words.
#[must_use]
pub fn extend(mut edits: Vec<Edit>, index: usize, word: Span, output: &str) -> Vec<Edit> {
    if edits.get(index).is_none_or(|edit| !takes_word(edit, word)) {
        return edits;
    }

    let mut edit = edits.remove(index);
    edit.output = merge_spans(edit.output.iter().copied().chain([word]));
    edit.confidence = None;
    edits = unmark_word(edits, word, output);
    edits.push(edit);
    sorted_edits(edits)
}

/// Whether an edit can get a word of the output: not if it is a deletion, or has the word already.
fn takes_word(edit: &Edit, word: Span) -> bool {
    let mut spans = edit.output.iter();
    edit.kind != EditKind::Deletion && !spans.any(|span| spans_overlap(*span, word))
}

/// Removes a word of the output from its edit; an edit with no other word is removed.
#[must_use]
pub fn unmark_word(mut edits: Vec<Edit>, word: Span, output: &str) -> Vec<Edit> {
    for edit in &mut edits {
        if edit.output.iter().any(|span| spans_overlap(*span, word)) {
            edit.output = cut_out_span(&edit.output, word, output);
            edit.confidence = None;
        }
    }
    edits.retain(has_shape);
    sorted_edits(edits)
}

/// Marks a word of the source as deleted; `caret` is its position in the output. The word joins
/// the deletion with the same caret, if any, and leaves the edit that it belonged to.
#[must_use]
pub fn mark_deleted(edits: Vec<Edit>, word: Span, caret: usize, source: &str) -> Vec<Edit> {
    if word.slice(source).is_none_or(str::is_empty) {
        return edits;
    }

    let mut edits = remove_source_word(edits, word, source);
    let place = Span::at(caret);
    let same_caret = edits
        .iter_mut()
        .find(|edit| edit.kind == EditKind::Deletion && edit.output == [place]);
    match same_caret {
        Some(edit) => {
            edit.source = merge_spans(edit.source.iter().copied().chain([word]));
            edit.confidence = None;
        }
        None => edits.push(Edit {
            kind: EditKind::Deletion,
            source: vec![word],
            output: vec![place],
            confidence: None,
        }),
    }
    sorted_edits(edits)
}

/// Sets the source words of an edit. Other edits lose these words, and a deletion without words is
/// removed. A deletion needs at least one word.
#[must_use]
pub fn set_source(mut edits: Vec<Edit>, index: usize, words: &[Span], source: &str) -> Vec<Edit> {
    let words = merge_spans(
        words
            .iter()
            .copied()
            .filter(|word| word.slice(source).is_some()),
    );
    let Some(edit) = edits.get(index) else {
        return edits;
    };
    if words.is_empty() && edit.kind == EditKind::Deletion {
        return edits;
    }

    let edit = edits.remove(index);
    for word in &words {
        edits = remove_source_word(edits, *word, source);
    }
    edits.push(Edit {
        source: words,
        confidence: None,
        ..edit
    });
    sorted_edits(edits)
}

fn sorted_edits(mut edits: Vec<Edit>) -> Vec<Edit> {
    sort_edits(&mut edits);
    edits
}

fn try_retype(edit: &Edit, kind: EditKind) -> Option<Edit> {
    if edit.kind == kind {
        return None;
    }
    let mut retyped = Edit {
        kind,
        confidence: None,
        ..edit.clone()
    };
    if kind == EditKind::Deletion {
        retyped.output = retyped
            .output
            .first()
            .map(|span| Span::at(span.start))
            .into_iter()
            .collect();
    }
    has_shape(&retyped).then_some(retyped)
}

/// Removes `word` from the source side of every edit.
fn remove_source_word(mut edits: Vec<Edit>, word: Span, source: &str) -> Vec<Edit> {
    for edit in &mut edits {
        if edit.source.iter().any(|span| spans_overlap(*span, word)) {
            edit.source = cut_out_span(&edit.source, word, source);
            edit.confidence = None;
        }
    }
    edits.retain(has_shape);
    edits
}

pub(crate) const fn spans_overlap(a: Span, b: Span) -> bool {
    a.start < b.end && b.start < a.end
}

/// Sorts stretches, merges overlapping and adjacent ones and drops empty ones.
fn merge_spans(spans: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut sorted: Vec<Span> = spans.filter(|span| span.start < span.end).collect();
    sorted.sort_unstable();
    let mut united: Vec<Span> = Vec::with_capacity(sorted.len());
    for span in sorted {
        match united.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => united.push(span),
        }
    }
    united
}

/// `spans` without the characters of `cut`, and without white space at the new ends.
pub(super) fn cut_out_span(spans: &[Span], cut: Span, text: &str) -> Vec<Span> {
    let pieces = spans.iter().flat_map(|span| {
        if spans_overlap(*span, cut) {
            let before = Span::new(span.start, cut.start.clamp(span.start, span.end));
            [
                before,
                Span::new(cut.end.clamp(span.start, span.end), span.end),
            ]
        } else {
            [*span, Span::at(span.end)]
        }
    });
    pieces
        .map(|piece| trim_span(piece, text))
        .filter(|piece| !piece.is_empty())
        .collect()
}

fn trim_span(span: Span, text: &str) -> Span {
    let Some(inside) = span.slice(text) else {
        return span;
    };
    let start = span.start + (inside.len() - inside.trim_start().len());
    Span::new(start, start + inside.trim().len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        edit::validate::validate,
        text::{
            align::align, edits::derive_edits, test_texts::hostile_text,
            tokenised_text::TokenisedText,
        },
    };

    const SOURCE: &str = "The very old boat sank.";
    const OUTPUT: &str = "The boat went down.";

    fn edit(kind: EditKind, source: &[&str], output: &[&str]) -> Edit {
        let find = |text: &str, word: &&str| {
            let start = text.find(word).expect("the word is there");
            Span::new(start, start + word.len())
        };
        Edit {
            kind,
            source: source.iter().map(|word| find(SOURCE, word)).collect(),
            output: output.iter().map(|word| find(OUTPUT, word)).collect(),
            confidence: None,
        }
    }

    fn deletion(words: &[&str]) -> Edit {
        Edit {
            output: vec![Span::at(3)],
            ..edit(EditKind::Deletion, words, &[])
        }
    }

    #[test]
    fn a_deletion_and_new_words_join_to_a_change() {
        let joined = join(
            vec![
                deletion(&["old"]),
                edit(EditKind::Paraphrase, &[], &["went"]),
            ],
            0,
            1,
        );
        assert_eq!(joined, [edit(EditKind::Paraphrase, &["old"], &["went"])]);
    }

    #[test]
    fn a_kind_changes_only_where_there_are_words_for_it() {
        let changed = edit(EditKind::Paraphrase, &["sank"], &["went down"]);
        assert_eq!(
            retype(vec![changed.clone()], 0, EditKind::Deletion),
            [Edit {
                output: vec![Span::at(9)],
                ..edit(EditKind::Deletion, &["sank"], &[])
            }]
        );
        let new = vec![edit(EditKind::Paraphrase, &[], &["went"])];
        assert!(!can_retype(&new[0], EditKind::Deletion));
        assert_eq!(retype(new.clone(), 0, EditKind::Deletion), new);
        assert!(!can_retype(&deletion(&["old"]), EditKind::Paraphrase));
        assert!(can_retype(&deletion(&["old"]), EditKind::Split));
    }

    #[test]
    fn a_source_word_belongs_to_the_edit_that_took_it_last() {
        let edits = vec![
            deletion(&["very old"]),
            edit(EditKind::Paraphrase, &[], &["went"]),
        ];
        let old = Span::new(9, 12);
        let changed_edits = set_source(edits, 1, &[old], SOURCE);
        assert_eq!(
            changed_edits,
            [
                deletion(&["very"]),
                edit(EditKind::Paraphrase, &["old"], &["went"])
            ]
        );
        let back = mark_deleted(changed_edits, old, 3, SOURCE);
        assert_eq!(
            back,
            [
                deletion(&["very", "old"]),
                edit(EditKind::Paraphrase, &[], &["went"])
            ]
        );
    }

    #[test]
    fn a_word_is_marked_once_and_unmarked() {
        let (went, down) = (Span::new(9, 13), Span::new(14, 18));
        let marked = add_word(add_word(Vec::new(), went, OUTPUT), went, OUTPUT);
        assert_eq!(marked, [edit(EditKind::Paraphrase, &[], &["went"])]);
        assert_eq!(unmark_word(marked, went, OUTPUT), []);
        let phrase = vec![edit(EditKind::Paraphrase, &["sank"], &["went down"])];
        let left = unmark_word(phrase.clone(), down, OUTPUT);
        assert_eq!(left, [edit(EditKind::Paraphrase, &["sank"], &["went"])]);
        let parted = add_word(phrase, down, OUTPUT);
        assert_eq!(
            parted,
            [
                edit(EditKind::Paraphrase, &["sank"], &["went"]),
                edit(EditKind::Paraphrase, &[], &["down"]),
            ]
        );
        let united = extend(parted, 0, down, OUTPUT);
        assert_eq!(
            united,
            [edit(EditKind::Paraphrase, &["sank"], &["went", "down"])]
        );
    }

    #[derive(Debug, Clone)]
    enum EditOp {
        Retype(usize, EditKind),
        Remove(usize),
        Confirm(usize),
        Join(usize, usize),
        Add(usize),
        Extend(usize, usize),
        Unmark(usize),
        Delete(usize, usize),
        Source(usize, Vec<usize>),
    }

    fn edit_op() -> impl Strategy<Value = EditOp> {
        let at = 0..12_usize;
        let kind = prop::sample::select(vec![
            EditKind::Deletion,
            EditKind::Paraphrase,
            EditKind::Split,
        ]);
        prop_oneof![
            (at.clone(), kind).prop_map(|(index, kind)| EditOp::Retype(index, kind)),
            at.clone().prop_map(EditOp::Remove),
            at.clone().prop_map(EditOp::Confirm),
            (at.clone(), at.clone()).prop_map(|(one, other)| EditOp::Join(one, other)),
            at.clone().prop_map(EditOp::Add),
            (at.clone(), at.clone()).prop_map(|(index, word)| EditOp::Extend(index, word)),
            at.clone().prop_map(EditOp::Unmark),
            (at.clone(), at.clone()).prop_map(|(word, place)| EditOp::Delete(word, place)),
            (at.clone(), prop::collection::vec(at, 0..4))
                .prop_map(|(index, words)| EditOp::Source(index, words)),
        ]
    }

    proptest! {
        #[test]
        fn whatever_people_do_the_edits_stay_valid(
            (source, output) in prop_oneof![
                ("([a-dé]{1,2}|[,.;])( ([a-dé]{1,2}|[,.;])){0,10}",
                 "([a-dé]{1,2}|[,.;])( ([a-dé]{1,2}|[,.;])){0,10}"),
                (hostile_text(), hostile_text()),
            ],
            steps in prop::collection::vec(edit_op(), 0..12),
        ) {
            let (from, to) = (TokenisedText::new(&source), TokenisedText::new(&output));
            let mut edits = derive_edits(&from, &to, &align(&from, &to));
            prop_assert_eq!(validate(&edits, &source, &output), Ok(()));
            prop_assume!(!from.is_empty() && !to.is_empty());
            let word = |text: &TokenisedText, at: usize| text.tokens()[at % text.len()].span;
            for step in steps {
                edits = match step {
                    EditOp::Retype(index, kind) => retype(edits, index, kind),
                    EditOp::Remove(index) => remove(edits, index),
                    EditOp::Confirm(index) => confirm(edits, index),
                    EditOp::Join(one, other) => join(edits, one, other),
                    EditOp::Add(at) => add_word(edits, word(&to, at), &output),
                    EditOp::Extend(index, at) => extend(edits, index, word(&to, at), &output),
                    EditOp::Unmark(at) => unmark_word(edits, word(&to, at), &output),
                    EditOp::Delete(at, place) => {
                        mark_deleted(edits, word(&from, at), word(&to, place).end, &source)
                    }
                    EditOp::Source(index, words) => {
                        let words: Vec<Span> = words.iter().map(|at| word(&from, *at)).collect();
                        set_source(edits, index, &words, &source)
                    }
                };
                prop_assert_eq!(validate(&edits, &source, &output), Ok(()));
            }
        }
    }
}
