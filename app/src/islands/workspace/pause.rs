use domain::work::draft::AnnotationDraft;
use leptos::prelude::*;

use super::WorkspaceState;
use crate::links;

/// The link that leaves an open source for later.
#[component]
pub(super) fn Pause() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let home = |draft: &AnnotationDraft| {
        draft
            .is_open()
            .then(|| links::annotator_home(&draft.task().slug))
    };

    work.draft.with_untracked(home).map(|home| {
        view! {
            <a
                class="button pause"
                href=home
                title="Leave and come back: everything is saved"
                data-command=""
            >
                "Pause"
            </a>
        }
    })
}
