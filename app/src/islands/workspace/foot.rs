use domain::{
    protocol::AnnotationStep,
    work::{
        draft::AnnotationDraft,
        labels::format_output_count,
        missing::{MissingItem, count_left_to_judge, list_missing},
    },
};
use leptos::prelude::*;

use super::{
    WorkspaceState,
    later_steps::{LaterPart, draw},
    pause::Pause,
    rate::NeighbourPlace,
};

/// The outputs still to do, and the button to the next step.
#[component]
pub(super) fn Footer() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let skip = RwSignal::new(false);
    // Nothing else here follows the draft: the submit button must outlive the answers that it waits for.
    let is_complete = Memo::new(move |_| work.remaining.get().is_complete());

    let on = Memo::new(move |_| {
        let step = work.step.get();
        work.draft
            .with_untracked(|draft| draft.protocol().after(step))
    });
    let neighbour = Memo::new(move |_| work.neighbour(1));

    // Once everything is judged, nobody has to go through the remaining outputs again.
    let submits =
        Memo::new(move |_| on.get().is_none() && (neighbour.get().is_none() || is_complete.get()));

    let cannot_skip = work.preview().is_some()
        || work.draft.with_untracked(|draft| {
            let task = draft.task();
            task.only_questions || task.purpose.teaches()
        });

    view! {
        <footer class="work-foot" inert=work.is_not_ready()>
            <div class="bar">
                {move || on.get().is_none().then(|| draw(work, LaterPart::Remaining))}
                <Pause/>
                <span class="grow"></span>
                <PreviousButton/>
                <Show when=move || work.draft.with(AnnotationDraft::is_open)>
                    <button data-command="" hidden=cannot_skip on:click=move |_| skip.set(true)>"Skip this source…"</button>
                    {move || on.get().map(|next| view! { <NextStepButton next/> })}
                </Show>
                {move || neighbour.get().map(|next| view! { <NextButton next is_last=submits/> })}
                <Show when=move || work.draft.with(AnnotationDraft::is_open)>
                    {move || submits.get().then(|| match work.preview() {
                        Some(back) => {
                            view! { <a class="button primary" href=back>"Leave the preview"</a> }.into_any()
                        }
                        None => draw(work, LaterPart::HandIn).into_any(),
                    })}
                </Show>
            </div>
        </footer>
        {move || work.later_steps.get().then(|| draw(work, LaterPart::Skip(skip)))}
    }
    .into_any()
}

#[component]
fn NextStepButton(next: AnnotationStep) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let label = match next {
        AnnotationStep::Highlight if work.marks_spans() => "Continue to the spans",
        AnnotationStep::Highlight => "Continue to the edits",
        AnnotationStep::Answer => "Continue to the questions",
        AnnotationStep::Write => "Continue to the text",
        _ if work.draft.with_untracked(|draft| draft.protocol().ranks()) => {
            "Continue to rank & rate"
        }
        _ if work
            .draft
            .with_untracked(|draft| draft.protocol().compares()) =>
        {
            "Continue to the comparisons"
        }
        _ => "Continue to the scores",
    };

    view! {
        <button
            class="primary"
            data-command=""
            aria-keyshortcuts="Control+Enter"
            // Nobody skips a step that they have not seen.
            disabled=move || !work.is_step_there()
            on:click=move |_| work.go(next, None)
        >
            {label}
        </button>
    }
}

/// The button to the previous output or comparison, in a step that shows one at a time.
#[component]
fn PreviousButton() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let previous = Memo::new(move |_| work.neighbour(-1));

    let go = move |_| {
        if let Some(previous) = previous.get_untracked() {
            work.show(previous);
        }
    };

    view! {
        <button data-command="" hidden=move || previous.get().is_none() on:click=go>
            "Previous " {move || previous.get().map(NeighbourPlace::noun)}
        </button>
    }
}

/// The button to the next output or comparison, in a step that shows one at a time.
#[component]
fn NextButton(
    next: NeighbourPlace,
    /// Whether another button is the next one to press.
    is_last: Memo<bool>,
) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    view! {
        <button
            class:primary=move || !is_last.get()
            data-command=""
            aria-keyshortcuts=move || (!is_last.get()).then_some("Control+Enter")
            on:click=move |_| work.show(next)
        >
            {format!("Next {}", next.noun())}
        </button>
    }
}

/// The number of outputs that are named; the rest is only counted.
const NAMED: usize = 3;

/// The outputs or comparisons still to judge: links to the first few by their place.
#[component]
pub(super) fn LeftToJudge() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let left = Memo::new(move |_| work.draft.with(count_left_to_judge));

    let first = Memo::new(move |_| {
        let mut first = work.draft.with(list_missing);
        let place = |missing_item: &MissingItem| (missing_item.output, missing_item.comparison);
        first.retain(|missing_item| {
            let has_no_place = [AnnotationStep::Answer, AnnotationStep::Write];
            has_no_place.contains(&missing_item.step) || place(missing_item) != (None, None)
        });
        first.dedup_by_key(|missing_item| (missing_item.step, place(missing_item)));
        first.truncate(NAMED);
        first
    });

    let (compares, asks, writes, only_writes) = work.draft.with_untracked(|draft| {
        let protocol = draft.protocol();
        (
            protocol.compares(),
            protocol.answer_step().is_some(),
            protocol.write_step().is_some(),
            protocol.only_writes(),
        )
    });
    let marks_spans = work.marks_spans();

    let words = move || match (left.get(), compares) {
        (0, _) if only_writes => "Your text is written.".to_owned(),
        (_, _) if only_writes => "Left to write: ".to_owned(),
        (0, _) if writes => "Everything is done.".to_owned(),
        (n, _) if writes => format!("{n} left to do: "),
        (0, _) if asks => "Everything is answered.".to_owned(),
        (n, _) if asks => format!("{n} left to answer: "),
        (0, false) if marks_spans => "All outputs are marked and rated.".to_owned(),
        (n, false) if marks_spans => format!("{} left to mark or rate: ", format_output_count(n)),
        (0, false) => "All outputs are rated.".to_owned(),
        (n, false) => format!("{} left to rate: ", format_output_count(n)),
        (0, true) => "All comparisons are made.".to_owned(),
        (1, true) => "1 comparison left: ".to_owned(),
        (n, true) => format!("{n} comparisons left: "),
    };

    view! {
        <p class="left" data-command="Next to judge">
            {words}
            {move || first.get().into_iter().enumerate().map(|(at, missing_item)| view! {
                {(at > 0).then_some(" · ")}
                <MissingItemLink missing=missing_item/>
            }).collect_view()}
            {move || (left.get() > NAMED).then(|| format!(" and {} more", left.get() - NAMED))}
        </p>
    }
}

/// A link to a missing answer.
#[component]
pub(super) fn MissingItemLink(missing: MissingItem) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let MissingItem {
        step,
        output,
        comparison,
        place,
        ..
    } = missing;
    view! {
        <button class="link" on:click=move |_| work.go_to(step, output, comparison)>{place}</button>
    }
}
