//! The keys of a row.

use domain::{
    ids::OutputId,
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        history::UndoGrouping,
        order::OrderMove,
    },
};
use leptos::{ev::KeyboardEvent, prelude::*};

use super::{OpenPanels, group::RatingGroup};
use crate::{browser, islands::workspace::WorkspaceState};

/// Does what a key means on the row of `output`.
pub(super) fn press(group: RatingGroup, open: OpenPanels, output: OutputId, event: &KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let step = if event.shift_key() { 10 } else { 1 };
    let key = event.key();
    match key.as_str() {
        "ArrowUp" => group.shift(output, OrderMove::Up(step)),
        "ArrowDown" => group.shift(output, OrderMove::Down(step)),
        "Home" => group.shift(output, OrderMove::First),
        "End" => group.shift(output, OrderMove::Last),
        "Enter" => browser::focus(&slider_id(output, 0)),
        "j" | "J" => group.travel(output, 1),
        "k" | "K" => group.travel(output, -1),
        "s" | "S" => {
            group.sort();
            browser::focus_soon(super::super::state::place_id(output));
        }
        "n" | "N" => write_note(open, output),
        _ if starts_score(&key) && group.work.takes_answers() => {
            browser::type_into(&number_id(output, 0), &key);
        }
        _ => return,
    }
    event.prevent_default();
}

/// Whether a key begins a typed score.
pub(super) fn starts_score(key: &str) -> bool {
    key == "-" || (key.len() == 1 && key.as_bytes()[0].is_ascii_digit())
}

/// Opens the note of an output.
pub(super) fn write_note(open: OpenPanels, output: OutputId) {
    open.note.set(Some(output));
    browser::focus_soon(note_id(output));
}

/// Answers with a note.
pub(super) fn save_note(work: WorkspaceState, output: OutputId, text: String) {
    let text = text.trim().to_owned();
    work.act(
        [(
            AnnotationSlot::Note { output },
            AnnotationAnswer::Note(text),
        )],
        UndoGrouping::Separate,
    );
}

/// The id of the note's field.
pub(super) fn note_id(output: OutputId) -> String {
    format!("note-{output}")
}

/// The id of a slider, by the number of its dimension.
pub(super) fn slider_id(output: OutputId, dimension: usize) -> String {
    format!("slider-{output}-{dimension}")
}

/// The id of a number box, by the number of its dimension.
pub(super) fn number_id(output: OutputId, dimension: usize) -> String {
    format!("number-{output}-{dimension}")
}
