use domain::work::draft::AnnotationDraft;
use leptos::prelude::*;

use super::{WorkspaceState, save_mark::SaveMark, steps::Steps};
use crate::links;

/// The header: the way back, the position in the study, the steps, and whether everything is saved.
#[component]
pub(super) fn Header(
    /// Opens the list of keys.
    help: RwSignal<bool>,
    /// Opens the guidelines.
    guidelines: RwSignal<bool>,
    /// The source's position among the annotator's.
    place: String,
) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let (study, home) = work.draft.with_untracked(|draft| {
        let task = draft.task();
        let home = links::annotator_home(&task.slug);
        (task.study_name.clone(), home)
    });
    view! {
        <header class="work-header">
            <div class="bar">
                <a class="brand" href=links::to(links::HOME)>"Rank & Rate"</a>
                <a class="where" href=home>{study}</a>
                <span class="soft count">{place}</span>
                <Steps/>
                <span class="grow"></span>
                <SaveMark/>
                <Toolbar help guidelines/>
            </div>
        </header>
    }
    .into_any()
}

/// Undo, redo, guidelines and help.
#[component]
fn Toolbar(help: RwSignal<bool>, guidelines: RwSignal<bool>) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let can_undo = move || work.draft.with(AnnotationDraft::can_undo) && work.takes_answers();
    let can_redo = move || work.draft.with(AnnotationDraft::can_redo) && work.takes_answers();
    view! {
        <span class="tools" inert=work.is_not_ready()>
            <button
                class="ghost"
                aria-label="Undo"
                title="Undo (Ctrl+Z)"
                disabled=move || !can_undo()
                on:click=move |_| work.undo()
            >
                "↶"
            </button>
            <button
                class="ghost"
                aria-label="Redo"
                title="Redo (Ctrl+Shift+Z)"
                disabled=move || !can_redo()
                on:click=move |_| work.redo()
            >
                "↷"
            </button>
            <button class="ghost" on:click=move |_| guidelines.set(true)>"Guidelines"</button>
            <button
                class="ghost"
                aria-label="Keys and help"
                title="Keys and help (?)"
                on:click=move |_| help.set(true)
            >
                "?"
            </button>
        </span>
    }
    .into_any()
}
