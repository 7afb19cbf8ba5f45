//! The keys of a row.

use domain::{
    ids::OutputId,
    work::{
        change::{Answer, Slot},
        history::Joining,
        order::Move,
    },
};
use leptos::{ev::KeyboardEvent, prelude::*};

use super::{Open, group::Group};
use crate::{browser, islands::workspace::Work};

/// Does what a key means on the row of `output`.
pub(super) fn press(group: Group, open: Open, output: OutputId, event: &KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let step = if event.shift_key() { 10 } else { 1 };
    let key = event.key();
    match key.as_str() {
        "ArrowUp" => group.shift(output, Move::Up(step)),
        "ArrowDown" => group.shift(output, Move::Down(step)),
        "Home" => group.shift(output, Move::First),
        "End" => group.shift(output, Move::Last),
        "Enter" => browser::focus(&slider_id(output, 0)),
        "j" | "J" => group.travel(output, 1),
        "k" | "K" => group.travel(output, -1),
        "s" | "S" => {
            group.sort();
            browser::focus_soon(super::super::work::place_id(output));
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
pub(super) fn write_note(open: Open, output: OutputId) {
    open.note.set(Some(output));
    browser::focus_soon(note_id(output));
}

/// Answers with a note.
pub(super) fn save_note(work: Work, output: OutputId, text: String) {
    let text = text.trim().to_owned();
    work.act(
        [(Slot::Note { output }, Answer::Note(text))],
        Joining::Apart,
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
