use domain::protocol::AnnotationStep;
use leptos::prelude::*;

use super::WorkspaceState;

/// The steps, if there are several: the current one, the finished ones, and how much is left.
#[component]
pub(super) fn Steps() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let steps = (work.draft).with_untracked(|draft| draft.protocol().steps().to_vec());
    (!work.is_merged() && steps.len() > 1).then(|| {
        view! {
            <nav aria-label="Steps" inert=work.is_not_ready()>
                <ol class="steps">
                    {steps.iter().map(|step| view! { <li><StepButton step=step.place() title=step.title() work/></li> }).collect_view()}
                </ol>
            </nav>
        }
        .into_any()
    })
}

#[component]
fn StepButton(step: AnnotationStep, title: &'static str, work: WorkspaceState) -> impl IntoView {
    let remaining = work.remaining;
    // Categorise and Check edits correct automatic proposals, so they are done once the annotator moves on.
    // Other steps need answers.
    let done = move || match step {
        AnnotationStep::Highlight if work.marks_spans() => remaining.get().marks_are_done,
        AnnotationStep::Rate => remaining.get().scores_are_done,
        AnnotationStep::Answer => remaining.get().answers_are_done,
        AnnotationStep::Write => remaining.get().text_is_written,
        _ => step < work.step.get() || remaining.get().is_complete(),
    };
    let is_current = move || work.step.get() == step;

    view! {
        <button
            class="step"
            class:done=done
            aria-current=move || is_current().then_some("step")
            data-command="Go to"
            on:click=move |_| work.go(step, None)
        >
            {title}
            <span class="visually-hidden">{move || (done() && !is_current()).then_some("(done)")}</span>
        </button>
    }
}
