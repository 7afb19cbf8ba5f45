//! Submitting, skipping, and the view of a closed source.

use domain::{
    study::{AssignmentState, SourcePurpose},
    work::{
        draft::AnnotationDraft,
        missing::{MissingItem, list_missing},
        saving::ConnectionState,
    },
};
use leptos::{prelude::*, task::spawn_local};

use super::{WorkspaceState, foot::MissingItemLink};
use crate::{
    api::work::{HandInResponse, hand_in, reopen, skip},
    browser,
    error::Refusal,
    islands::parts::Modal,
    links,
};

/// The button that submits, or lists what is missing.
#[component]
pub(super) fn HandIn() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let open = RwSignal::new(false);
    let (busy, set_busy) = signal(false);
    let todo = Memo::new(move |_| work.draft.with(list_missing));

    let unsaved = move || work.saving.waiting.get() > 0;
    let reason_to_wait = move || match work.saving.connection.get() {
        ConnectionState::Unreachable => "You are offline. Submit when you are connected again.",
        _ => "Some answers are still being saved.",
    };

    let send = move || {
        set_busy.set(true);
        let assignment = work.draft.with_untracked(|draft| draft.task().assignment);
        spawn_local(async move {
            match hand_in(assignment).await {
                Ok(HandInResponse::In { next }) => return browser::go_to(&next),
                // Another device removed scores, so the page does not show the stored state any more.
                Ok(HandInResponse::Missing(_)) => browser::reload(),
                Err(refusal) => work.refused.set(Some(refusal.to_string())),
            }
            set_busy.set(false);
        });
    };

    let asked = RwSignal::new(false);
    Effect::new(move |_| {
        if !asked.get() {
            return;
        }
        let is_complete = todo.with(Vec::is_empty);
        let connection = work.saving.connection.get();
        let is_sending = matches!(
            connection,
            ConnectionState::Connected | ConnectionState::Sending
        );

        // The last answers are still being sent: this runs again as soon as they are saved.
        if is_complete && unsaved() && is_sending {
            return;
        }

        asked.set(false);
        if is_complete && !unsaved() {
            send()
        } else {
            open.set(true)
        }
    });

    view! {
        <button
            class="primary"
            data-command=""
            aria-keyshortcuts="Control+Enter"
            disabled=busy
            on:click=move |_| asked.set(true)
        >
            "Submit"
        </button>
        <Modal open title="Not ready to submit">
            <Show when=unsaved>
                <p>{reason_to_wait}</p>
            </Show>
            // Closes first: closing returns the focus to the button that opened the dialog.
            <ul class="todo" on:click:capture=move |_| open.set(false)>
                <For each=move || todo.get() key=MissingItem::sentence let:it>
                    <li><MissingItemLink missing=it.clone()/>{it.sentence().replacen(&it.place, "", 1)}</li>
                </For>
            </ul>
        </Modal>
    }
    .into_any()
}

/// The dialog that asks for a reason and skips the source.
#[component]
pub(super) fn Skip(open: RwSignal<bool>) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let reason = RwSignal::new(String::new());

    let go = move |_| {
        let assignment = work.draft.with_untracked(|draft| draft.task().assignment);
        spawn_local(async move {
            match skip(assignment, reason.get_untracked()).await {
                Ok(next) => browser::go_to(&next),
                Err(refusal) => {
                    open.set(false);
                    work.refused.set(Some(refusal.to_string()));
                }
            }
        });
    };

    view! {
        <Modal open title="Skip this source">
            <p>"You will not see it again. The lead reads your reason."</p>
            <p class="field">
                <label for="skip-reason">"Reason"</label>
                <textarea
                    id="skip-reason"
                    prop:value=reason
                    on:input=move |event| reason.set(event_target_value(&event))
                ></textarea>
            </p>
            <p class="actions">
                <button
                    class="primary"
                    disabled=move || reason.with(|reason| reason.trim().is_empty())
                    on:click=go
                >
                    "Skip it"
                </button>
                <button on:click=move |_| open.set(false)>"Keep working on it"</button>
            </p>
        </Modal>
    }
    .into_any()
}

/// The notice of a closed source or a refused request, with what can be done.
#[component]
pub(super) fn Closed() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let (state, is_free, is_study_closed) = work.draft.with_untracked(|draft| {
        let task = draft.task();
        let is_free =
            task.purpose == SourcePurpose::Main && !task.is_being_agreed && !task.is_study_closed;
        (task.state, is_free, task.is_study_closed)
    });

    let again = state == AssignmentState::HandedIn && is_free;
    let words = match state {
        AssignmentState::Open if is_study_closed => {
            Some("This study is closed. Your answers are kept, and can no longer be changed.")
        }
        AssignmentState::Open => None,
        AssignmentState::HandedIn if again => Some("You have submitted this source."),
        AssignmentState::HandedIn => {
            Some("You have submitted this source. It can no longer be changed.")
        }
        AssignmentState::Skipped => Some("You skipped this source."),
        AssignmentState::Released => Some("This source is no longer assigned to you."),
    };

    let home = work
        .draft
        .with_untracked(|d| links::annotator_home(&d.task().slug));

    let reopen = move |_| {
        let assignment = work
            .draft
            .with_untracked(|draft: &AnnotationDraft| draft.task().assignment);
        spawn_local(async move {
            match reopen(assignment).await {
                Ok(()) => browser::reload(),
                Err(refusal) => announce_refusal(work, &refusal),
            }
        });
    };

    view! {
        {words.map(|words| view! {
            <section class="note closed">
                <p>{words}</p>
                <p class="actions">
                    {again.then(|| view! { <button on:click=reopen>"Change my answers"</button> })}
                    <a class="button primary" href=home.clone()>"Continue"</a>
                </p>
            </section>
        })}
        {move || work.refused.get().map(|sentence| view! { <p class="alert" role="alert">{sentence}</p> })}
    }
    .into_any()
}

fn announce_refusal(work: WorkspaceState, refusal: &Refusal) {
    work.refused.set(Some(refusal.to_string()));
}
