use domain::work::saving::SaveState;
use leptos::prelude::*;

use super::WorkspaceState;
use crate::{browser, links};

/// The mark that says whether all answers are saved.
#[component]
pub(super) fn SaveMark() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let saving = work.saving;

    let state = Memo::new(move |_| {
        if !work.ready.get() {
            return SaveState::Loading;
        }
        let waiting = saving.waiting.get() + usize::from(saving.typing.get());
        let refused = saving.refused.with(Vec::len);
        SaveState::from_connection(saving.connection.get(), waiting, refused)
    });

    let kind = move || match state.get() {
        SaveState::Saved => "saved",
        SaveState::Loading | SaveState::Saving => "saving",
        SaveState::Offline(_) => "offline",
        SaveState::Failing(_) | SaveState::SignedOut(_) | SaveState::Refused(_) => "stuck",
    };

    // The mark in full sentences. Screen readers announce only these, and not each "Saving…" of a change.
    let spoken = Memo::new(move |_| match state.get() {
        SaveState::Offline(_) => "Offline: your changes are kept on this device",
        SaveState::Failing(_) => {
            "The server cannot save at the moment: your changes are kept on this device"
        }
        SaveState::SignedOut(_) => "Signed out: sign in again to save",
        SaveState::Refused(_) => "Some changes were not saved",
        SaveState::Loading | SaveState::Saved | SaveState::Saving => "",
    });

    if work.preview().is_some() {
        return view! { <span class="save-mark" data-state="saving">"Preview: nothing is saved"</span> }
            .into_any();
    }

    view! {
        <span class="save-mark" data-state=kind title=spoken>
            {move || match state.get() {
                state @ SaveState::SignedOut(_) => view! {
                    <a href=log_in_address>{state.sentence()}</a>
                }.into_any(),
                state => view! { <span>{state.sentence()}</span> }.into_any(),
            }}
        </span>
        <span class="visually-hidden" role="status">{spoken}</span>
    }
    .into_any()
}

/// The address for signing in and returning to this page.
fn log_in_address() -> String {
    links::to(&format!("{}?next={}", links::LOGIN, browser::path_here()))
}
