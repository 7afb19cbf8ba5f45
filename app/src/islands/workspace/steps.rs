use domain::work::{change::AnnotationStep, missing::count_unrated_outputs};
use leptos::prelude::*;

use super::WorkspaceState;

/// The three steps, unless they are one: the current one, the finished ones, and how much is left.
#[component]
pub(super) fn Steps() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    (!work.is_merged()).then(|| {
        view! {
            <nav aria-label="Steps" inert=work.is_not_ready()>
                <ol class="steps">
                    {AnnotationStep::ALL.map(|step| view! { <li><StepButton step work/></li> })}
                </ol>
            </nav>
        }
        .into_any()
    })
}

#[component]
fn StepButton(step: AnnotationStep, work: WorkspaceState) -> impl IntoView {
    let left = Memo::new(move |_| work.draft.with(count_unrated_outputs));
    // Steps 1 and 2 correct automatic proposals: they are done once the annotator moves on.
    let done = move || match step {
        AnnotationStep::Rate => left.get() == 0,
        _ => step < work.step.get() || left.get() == 0,
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
            {step.title()}
            <span class="visually-hidden">{move || (done() && !is_current()).then_some("(done)")}</span>
        </button>
    }
}
