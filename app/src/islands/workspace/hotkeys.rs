//! Keys that work anywhere in the workspace, except in text fields. The page's script presses the buttons
//! that name their keys themselves.

use leptos::{
    ev::{self, KeyboardEvent},
    prelude::*,
};

use super::WorkspaceState;
use crate::browser;

/// Listens as long as the page lives.
pub(super) fn listen(work: WorkspaceState) {
    Effect::new(move |_| {
        window_event_listener(ev::keydown, move |event| {
            if event.default_prevented() || browser::is_typing(&event) || browser::has_dialog() {
                return;
            }
            if press(work, &event) {
                event.prevent_default();
            }
        });
    });
}

fn press(work: WorkspaceState, event: &KeyboardEvent) -> bool {
    let command = event.ctrl_key() || event.meta_key();
    match (command, event.key().to_lowercase().as_str()) {
        (false, "u") if work.shows_edits() => work.to_unsure(None),
        _ => return false,
    }
    true
}
