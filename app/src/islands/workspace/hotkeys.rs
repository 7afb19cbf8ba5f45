//! Keys that work anywhere in the workspace, except in text fields.

use domain::work::change::AnnotationStep;
use leptos::{
    ev::{self, KeyboardEvent},
    prelude::*,
};

use super::WorkspaceState;
use crate::browser;

/// Listens as long as the page lives.
pub(super) fn listen(work: WorkspaceState, help: RwSignal<bool>) {
    Effect::new(move |_| {
        window_event_listener(ev::keydown, move |event| {
            if event.default_prevented() || browser::is_typing(&event) || browser::has_dialog() {
                return;
            }
            if press(work, help, &event) {
                event.prevent_default();
            }
        });
    });
}

fn press(work: WorkspaceState, help: RwSignal<bool>, event: &KeyboardEvent) -> bool {
    let command = event.ctrl_key() || event.meta_key();
    match (command, event.key().to_lowercase().as_str()) {
        (true, "z") if event.shift_key() => work.redo(),
        (true, "z") => work.undo(),
        (true, "y") => work.redo(),
        (false, "?") => help.set(true),
        (false, "u") if work.step.get_untracked() == AnnotationStep::Highlight => {
            work.to_unsure(None)
        }
        _ => return false,
    }
    true
}
