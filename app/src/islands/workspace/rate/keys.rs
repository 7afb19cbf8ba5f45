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

use super::{OpenPanels, ranking::CategoryRanking};
use crate::{browser, islands::workspace::WorkspaceState};

/// Handles a key on the row of `output`.
pub(super) fn press(
    ranking: CategoryRanking,
    open: OpenPanels,
    output: OutputId,
    event: &KeyboardEvent,
) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let step = if event.shift_key() { 10 } else { 1 };
    let key = event.key();
    match key.as_str() {
        "ArrowUp" => ranking.shift(output, OrderMove::Up(step)),
        "ArrowDown" => ranking.shift(output, OrderMove::Down(step)),
        "Home" => ranking.shift(output, OrderMove::First),
        "End" => ranking.shift(output, OrderMove::Last),
        "Enter" => browser::focus(&slider_id(output, 0)),
        "j" | "J" => ranking.travel(output, 1),
        "k" | "K" => ranking.travel(output, -1),
        "s" | "S" => {
            ranking.sort();
            browser::focus_soon(super::super::state::place_id(output));
        }
        "n" | "N" => write_note(open, output),
        _ if starts_score(&key) && ranking.work.takes_answers() => {
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

/// Saves a note.
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

/// The id of a note's field.
pub(super) fn note_id(output: OutputId) -> String {
    format!("note-{output}")
}

/// The id of a slider, by the number of its dimension.
pub(super) fn slider_id(output: OutputId, dimension: usize) -> String {
    format!("slider-{output}-{dimension}")
}

/// The id of a number field, by the number of its dimension.
pub(super) fn number_id(output: OutputId, dimension: usize) -> String {
    format!("number-{output}-{dimension}")
}
