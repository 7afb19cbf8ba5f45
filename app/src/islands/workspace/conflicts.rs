use domain::work::{
    change::AnnotationSlot,
    draft::{AnnotationDraft, AnswerConflict},
    missing::describe_place,
};
use leptos::prelude::*;

use super::{WorkspaceState, remaining};

/// Conflicting answers from two places: both are shown, and the annotator chooses.
#[component]
pub(super) fn Conflicts() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let conflicts = Memo::new(move |_| {
        work.draft
            .with(|draft| draft.conflicts().clone().into_iter().collect::<Vec<_>>())
    });
    remaining::follow(work);

    view! {
        <Show when=move || !conflicts.with(Vec::is_empty)>
            <section class="conflicts caution" aria-label="Answered in two places">
                <h2>"Answered in two places"</h2>
                <p>"You also answered in another window or device. Choose which answer to keep."</p>
                <ul>
                    {move || {
                        let conflicts = conflicts.get().into_iter();
                        conflicts.map(|(slot, conflict)| view! { <Choice about=slot conflict/> }).collect_view()
                    }}
                </ul>
            </section>
        </Show>
        <Refused/>
    }
    .into_any()
}

#[component]
fn Choice(about: AnnotationSlot, conflict: AnswerConflict) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let (label, keep_label, take_label) = work.draft.with_untracked(|draft| {
        (
            slot_label(draft, &about),
            conflict.keep_label(draft, &about),
            conflict.take_label(draft, &about),
        )
    });

    let (keep, take) = (about.clone(), about);
    view! {
        <li>
            <span>{label}</span>
            <button on:click=move |_| work.keep_mine(&keep)>{keep_label}</button>
            <button on:click=move |_| work.take_theirs(&take)>{take_label}</button>
        </li>
    }
}

fn slot_label(draft: &AnnotationDraft, slot: &AnnotationSlot) -> String {
    let answer_label = match slot {
        AnnotationSlot::Category { .. } => "its category",
        AnnotationSlot::Edits { .. } => "its edits",
        AnnotationSlot::Marks { .. } => "its marks",
        AnnotationSlot::Rating { dimension, .. } => dimension,
        AnnotationSlot::Unjudged { .. } => "whether you can judge it",
        AnnotationSlot::Note { .. } | AnnotationSlot::Reply { .. } => "what you wrote",
        AnnotationSlot::Comparison { dimension, .. } => {
            return match draft.find_comparison(slot) {
                Some(number) => format!("Comparison {}: {dimension}", number + 1),
                None => "A comparison that is no longer asked".to_owned(),
            };
        }
        AnnotationSlot::Question { output, key } => {
            let question = draft.find_question(key);
            let question = question.map_or(key.as_str(), |question| question.text.as_str());
            return match output {
                Some(output) => format!("{}: “{question}”", describe_place(draft, *output)),
                None => format!("“{question}”"),
            };
        }
        AnnotationSlot::Text => return "Your text".to_owned(),
        AnnotationSlot::Order | AnnotationSlot::Progress => {
            return "The order of the outputs".to_owned();
        }
    };

    let output = slot
        .output()
        .map(|output| describe_place(draft, output))
        .unwrap_or_default();
    format!("{output}: {answer_label}")
}

/// Changes that the server refused, with the reasons; they stay on this device until the annotator decides.
#[component]
fn Refused() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let refused = work.saving.refused;
    let reasons = Memo::new(move |_| {
        let mut reasons = vec![];
        for reason in refused.get() {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        reasons
    });

    let queue = move |action: fn(&crate::islands::queue::ChangeQueue)| {
        work.with_tab(|tab| action(&tab.queue))
    };

    view! {
        <Show when=move || !reasons.with(Vec::is_empty)>
            <section class="alert" role="alert">
                <p>"The server did not accept some answers. They are kept on this device:"</p>
                <ul>{move || reasons.get().into_iter().map(|reason| view! { <li>{reason}</li> }).collect_view()}</ul>
                <p class="actions">
                    <button on:click=move |_| queue(|change_queue| change_queue.try_again())>"Send again"</button>
                    <button class="ghost" on:click=move |_| queue(|change_queue| change_queue.discard_refused())>
                        "Discard them"
                    </button>
                </p>
            </section>
        </Show>
    }
}
