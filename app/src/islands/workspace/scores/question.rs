use domain::{
    ids::OutputId,
    work::{change::AnnotationSlot, task::LeadQuestion},
};
use leptos::prelude::*;

use super::remark::remark_field;
use crate::islands::workspace::WorkspaceState;

/// The lead's questions about an output, each with a field for the reply.
pub(crate) fn draw_questions(work: WorkspaceState, output: OutputId) -> Vec<AnyView> {
    let view = |LeadQuestion { id, note, .. }: &LeadQuestion| {
        let slot = AnnotationSlot::Reply {
            output,
            question: *id,
        };
        [
            view! { <p class="asked-again">"The lead asks: "{note.clone()}</p> }.into_any(),
            remark_field(work, output, slot, format!("reply-{id}"), "Your reply"),
        ]
    };

    work.draft
        .with_untracked(|draft| draft.questions(output).flat_map(view).collect())
}
