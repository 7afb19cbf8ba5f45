use domain::work::{change::Step, missing::outputs_left};
use leptos::prelude::*;

use super::Work;

/// The three steps: which one is shown, which are behind, how much is left.
#[component]
pub(super) fn Steps() -> impl IntoView {
    let work = expect_context::<Work>();
    view! {
        <nav aria-label="Steps" inert=work.asleep()>
            <ol class="steps">
                {Step::ALL.map(|step| view! { <li><StepButton step work/></li> })}
            </ol>
        </nav>
    }
    .into_any()
}

#[component]
fn StepButton(step: Step, work: Work) -> impl IntoView {
    let left = Memo::new(move |_| work.draft.with(outputs_left));
    // Steps 1 and 2 are corrections of what the machine proposes: once one goes on, they are done.
    let done = move || match step {
        Step::Rate => left.get() == 0,
        _ => step < work.step.get() || left.get() == 0,
    };
    let here = move || work.step.get() == step;
    view! {
        <button
            class="step"
            class:done=done
            aria-current=move || here().then_some("step")
            on:click=move |_| work.go(step, None)
        >
            {step.title()}
            <span class="visually-hidden">{move || (done() && !here()).then_some("(done)")}</span>
        </button>
    }
}
