//! The keys of a row.

use domain::{ids::OutputId, work::order::OrderMove};
use leptos::ev::KeyboardEvent;

use super::{OpenPanels, ranking::CategoryRanking};
use crate::{
    browser,
    islands::workspace::{
        WorkspaceState,
        categorise::category_of_digit,
        scores::{self, focus_first_score, write_note},
        state::place_id,
        unjudged::ReasonMenu,
    },
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
        "Enter" => focus_first_score(ranking.work, output),
        "j" | "J" => ranking.work.travel(output, 1, place_id),
        "k" | "K" => ranking.work.travel(output, -1, place_id),
        "s" | "S" => {
            ranking.sort(event.shift_key());
            browser::focus_soon(place_id(output));
        }
        "n" | "N" => write_note(open.note, output),
        _ => return,
    }

    event.prevent_default();
}

/// Handles a key anywhere in the row of `output` that the focused element does not handle.
pub(super) fn press_within(
    work: WorkspaceState,
    menu: ReasonMenu,
    output: OutputId,
    event: &KeyboardEvent,
) {
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
    scores::press_within(work, menu, output, event);
}

/// Moves an output to the category of a digit.
fn put_by_digit(work: WorkspaceState, output: OutputId, event: &KeyboardEvent) {
    // With Alt some keyboards type other characters, so the position of the key counts.
    let code = event.code();
    let category = code.strip_prefix("Digit").and_then(category_of_digit);
    if let Some(category) = category.filter(|_| work.takes(output)) {
        event.prevent_default();
        work.put(output, category);
    }
}
