use domain::work::draft::AnnotationDraft;
use leptos::prelude::*;

use super::{WorkspaceState, save_mark::SaveMark, steps::Steps};
use crate::links;

/// The header: the way back, the position in the study, the steps, and whether everything is saved.
#[component]
pub(super) fn Header(
    /// The source's position among the annotator's.
    place: String,
    /// Further buttons.
    children: Children,
) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let (study, home) = work.draft.with_untracked(|draft| {
        let task = draft.task();
        let home = work.preview();
        let home = home.unwrap_or_else(|| links::annotator_home(&task.slug));
        (task.study_name.clone(), home)
    });

    view! {
        <header class="work-header">
            <div class="bar">
                <a class="brand" href=links::to(links::HOME)>"Rank & Rate"</a>
                <a class="where" href=home data-command="Leave to">{study}</a>
                <span class="soft count">{place}</span>
                <Steps/>
                <span class="grow"></span>
                <SaveMark/>
                <Toolbar>{children()}</Toolbar>
            </div>
        </header>
    }
    .into_any()
}

/// Undo, redo, and further buttons.
#[component]
fn Toolbar(children: Children) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let can_undo = move || work.draft.with(AnnotationDraft::can_undo) && work.takes_answers();
    let can_redo = move || work.draft.with(AnnotationDraft::can_redo) && work.takes_answers();

    view! {
        <span class="tools" inert=work.is_not_ready()>
            <button
                class="ghost"
                aria-label="Undo"
                aria-keyshortcuts="Control+Z"
                data-command=""
                title="Undo (Ctrl+Z)"
                disabled=move || !can_undo()
                on:click=move |_| work.undo()
            >
                "↶"
            </button>
            <button
                class="ghost"
                aria-label="Redo"
                aria-keyshortcuts="Control+Shift+Z Control+Y"
                data-command=""
                title="Redo (Ctrl+Shift+Z)"
                disabled=move || !can_redo()
                on:click=move |_| work.redo()
            >
                "↷"
            </button>
            {children()}
        </span>
    }
    .into_any()
}
