//! Background tasks of the workspace: the queue, other tabs, the clock.

use std::{cell::RefCell, rc::Rc, time::Duration};

use domain::{
    ids::{AssignmentId, OutputId, PersonId},
    protocol::AnnotationStep,
    work::{
        activity::TabActivity, confirmed_answers, draft::AnnotationDraft, saving::ConnectionState,
        task::AnnotationTask,
    },
};
use leptos::{ev, prelude::*, task::spawn_local};
use web_sys::BeforeUnloadEvent;

use super::{
    later_steps,
    state::{WorkspaceState, WorkspaceTab},
};
use crate::{
    browser,
    islands::queue::{ChangeQueue, QueueScope, TabMessage},
    json::{from_json, to_json},
};

/// Starts the tasks once the island is hydrated. In a preview, where nothing is stored, it only loads the
/// later steps.
pub(super) fn start(work: WorkspaceState, task: AnnotationTask, person: PersonId, rendered: i64) {
    Effect::new(move |_| {
        spawn_local(async move {
            later_steps::load().await;
            work.later_steps.set(true);
            // An annotator who moved on early has been waiting for this step.
            if work.ready.get_untracked() && work.step.get_untracked() != AnnotationStep::Categorise
            {
                work.focus_at_start(asked_output(work));
            }
        });
    });

    if work.preview().is_some() {
        Effect::new(move |_| {
            work.ready.set(true);
            work.focus_at_start(None);
        });
        return;
    }

    Effect::new(move |_| {
        let task = task.clone();
        let scope = QueueScope {
            person,
            study: task.study,
            assignment: task.assignment,
        };
        spawn_local(async move { begin(work, task, scope, rendered).await });
        watch_network(work);
        watch_questions(work);
        watch_leaving(work);
        watch_activity(work);
    });
}

/// Applies the browser's stored changes to the page's task, and accepts answers from now on.
async fn begin(work: WorkspaceState, mut task: AnnotationTask, scope: QueueScope, rendered: i64) {
    // Messages from other tabs wait until the draft is ready.
    let early = Rc::new(RefCell::new(Vec::new()));
    let on_message = {
        let early = early.clone();
        move |message| match work.ready.get_untracked() {
            true => handle_message(work, scope, message),
            false => early.borrow_mut().push(message),
        }
    };

    let id = browser::new_id().0;
    let (queue, found) = ChangeQueue::open(scope, id, work.saving, on_message).await;
    let is_as_loaded = found.waiting.is_empty() && found.known.is_empty();
    queue.forget(confirmed_answers::apply_confirmed(
        &mut task,
        rendered,
        found.known,
    ));

    let history_json = browser::session_item(&history_key(scope.assignment));
    work.draft.update(|draft| {
        *draft = AnnotationDraft::new(task);
        draft.replay(found.waiting);
        if let Some(history) = history_json.and_then(|text| from_json(&text).ok()) {
            draft.restore_history(history);
        }
    });

    queue.send();
    work.open_tab(WorkspaceTab {
        id,
        queue,
        activity: TabActivity::default(),
    });

    // Opens the output that the lead asks about, or else the step where the annotator was.
    let asked = asked_output(work);
    let step = match asked {
        // The lead asks about the last judgement.
        Some(_) => work
            .draft
            .with_untracked(AnnotationDraft::last_judging_step),
        None => work.draft.with_untracked(AnnotationDraft::step),
    };

    // Redrawing the step takes time, and the server's drawing is current unless answers were waiting here.
    if !is_as_loaded || work.step.get_untracked() != step {
        work.step.set(step);
    }

    work.ready.set(true);
    work.focus_at_start(asked);
    for message in early.take() {
        handle_message(work, scope, message);
    }
}

/// The output that the lead asks about, if any.
fn asked_output(work: WorkspaceState) -> Option<OutputId> {
    work.draft.with_untracked(|draft| {
        let question = draft.task().questions.first();
        question.map(|question| question.output)
    })
}

fn handle_message(work: WorkspaceState, scope: QueueScope, message: TabMessage) {
    match message {
        TabMessage::Given {
            assignment,
            changes,
        } if assignment == scope.assignment => {
            work.draft.update(|draft| {
                changes
                    .iter()
                    .for_each(|change| draft.merge_from_tab(change))
            });
        }
        TabMessage::Settled {
            assignment,
            outcomes,
        } if assignment == scope.assignment => {
            work.draft.update(|draft| {
                for (change, outcome) in &outcomes {
                    draft.apply_outcome(change, outcome);
                }
            });
        }
        TabMessage::Given { .. } | TabMessage::Settled { .. } => {}
        TabMessage::AtWork => work.with_tab(|tab| tab.activity.pause()),
    }
}

fn watch_network(work: WorkspaceState) {
    let send = move || work.with_tab(|tab| tab.queue.send_now());
    window_event_listener(ev::online, move |_| send());
    window_event_listener(ev::focus, move |_| send());
    window_event_listener(ev::offline, move |_| {
        work.saving.connection.set(ConnectionState::Unreachable)
    });
}

/// Opens an output that the lead asks about when its link above the workspace is clicked.
fn watch_questions(work: WorkspaceState) {
    window_event_listener(ev::click, move |event| {
        if let Some(question) = browser::number_at_target(&event, "data-question") {
            event.prevent_default();
            work.look_again(question);
        }
    });
}

fn watch_leaving(work: WorkspaceState) {
    window_event_listener(ev::beforeunload, move |event: BeforeUnloadEvent| {
        // Store what is still being typed now: a write that starts at `pagehide` may not reach the disk.
        let focused = browser::blur_focused();
        // This write may not reach it either, unless the browser asks whether to leave.
        if work.saving.unsaved.get_untracked() > 0 {
            event.prevent_default();
            // If the annotator stays, the focus returns to where it was.
            set_timeout(
                move || {
                    let _ = focused.map(|element| element.focus());
                },
                Duration::ZERO,
            );
        }
    });

    window_event_listener(ev::pagehide, move |_| {
        browser::blur_focused();

        let assignment = work.draft.with_untracked(|draft| draft.task().assignment);
        let history = work.draft.with_untracked(|d| to_json(d.history()));
        browser::set_session_item(&history_key(assignment), &history);
    });
}

/// The shortest interval between two records of activity, in milliseconds.
const MOMENT_MS: u64 = 1_000;

fn watch_activity(work: WorkspaceState) {
    let last = StoredValue::new(0_u64);
    let interact = move || {
        let now = browser::now_ms();
        if now.saturating_sub(last.get_value()) < MOMENT_MS {
            return;
        }
        last.set_value(now);

        let step = work.step.get_untracked();
        work.with_tab(|tab| {
            tab.activity.interact(now, step);
            tab.queue.announce_activity();
        });
    };

    window_event_listener(ev::pointerdown, move |_| interact());
    window_event_listener(ev::pointermove, move |_| interact());
    window_event_listener(ev::keydown, move |_| interact());
    window_event_listener(ev::scroll, move |_| interact());
    window_event_listener(ev::visibilitychange, move |_| {
        if document().hidden() {
            work.with_tab(|tab| tab.activity.pause());
        } else {
            work.with_tab(|tab| tab.queue.send_now());
        }
    });
}

fn history_key(assignment: AssignmentId) -> String {
    format!("rankrate/history/{assignment}")
}
