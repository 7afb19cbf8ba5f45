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
use crate::{
    browser,
    islands::workspace::{WorkspaceState, categorise::category_of_digit, state::place_id},
};

/// Handles a key on the handle of a row.
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
        "j" | "J" => ranking.work.travel(output, 1, place_id),
        "k" | "K" => ranking.work.travel(output, -1, place_id),
        "s" | "S" => {
            ranking.sort(event.shift_key());
            browser::focus_soon(place_id(output));
        }
        "n" | "N" => write_note(open, output),
        _ => return,
    }
    event.prevent_default();
}

/// Handles a key anywhere in the row of `output` that the element with the focus has no use for.
pub(super) fn press_within(work: WorkspaceState, output: OutputId, event: &KeyboardEvent) {
    if event.default_prevented()
        || browser::is_typing(event)
        || event.ctrl_key()
        || event.meta_key()
    {
        return;
    }
    if event.alt_key() {
        return put_by_digit(work, output, event);
    }
    match event.key().as_str() {
        "Escape" => browser::focus(&place_id(output)),
        key if starts_score(key) && work.takes(output) => {
            browser::type_into(&number_id(output, 0), key);
        }
        _ => return,
    }
    event.prevent_default();
}

/// Moves an output to the category of a digit.
fn put_by_digit(work: WorkspaceState, output: OutputId, event: &KeyboardEvent) {
    // With Alt some keyboards type other characters, so the place of the key counts.
    let code = event.code();
    let category = code.strip_prefix("Digit").and_then(category_of_digit);
    if let Some(category) = category.filter(|_| work.takes(output)) {
        event.prevent_default();
        work.put(output, category);
    }
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
