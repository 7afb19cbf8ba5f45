use domain::{
    ids::OutputId,
    work::{change::AnnotationSlot, task::LeadQuestion},
};
use leptos::prelude::*;

use super::remark::remark_field;
use crate::islands::workspace::WorkspaceState;

/// The lead's questions about an output, each with a field for the reply.
#[component]
pub(crate) fn Questions(output: OutputId) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let questions: Vec<LeadQuestion> = work
        .draft
        .with_untracked(|draft| draft.questions(output).cloned().collect());
    let view = |LeadQuestion { id, note, .. }: LeadQuestion| {
        let slot = AnnotationSlot::Reply {
            output,
            question: id,
        };
        view! {
            <p class="asked-again">"The lead asks: "{note}</p>
            {remark_field(output, slot, format!("reply-{id}"), "Your reply")}
        }
    };
    questions.into_iter().map(view).collect_view().into_any()
}
