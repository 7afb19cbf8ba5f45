//! The shared state of the workspace, and the annotator's actions on it.

use domain::{
    ids::{AnnotationId, OutputId},
    work::{
        activity::TabActivity,
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, AnnotationStep},
        draft::AnnotationDraft,
        history::{UndoEffect, UndoGrouping},
        task::AnnotationTask,
    },
};
use leptos::prelude::*;
use uuid::Uuid;

use crate::{
    browser,
    islands::queue::{ChangeQueue, SavingStatus},
};

/// The state of one source in work. Cheap to copy.
#[derive(Clone, Copy)]
pub struct WorkspaceState {
    /// The task with all current answers.
    pub draft: RwSignal<AnnotationDraft>,
    /// The current step.
    pub step: RwSignal<AnnotationStep>,
    /// The edit or output under the pointer or the focus.
    pub pointed: RwSignal<Option<PointerTarget>>,
    /// The displayed state of the queue.
    pub saving: SavingStatus,
    /// Whether the browser's stored changes are loaded, so that answers are accepted.
    pub ready: RwSignal<bool>,
    /// An error outside the queue: a sentence.
    pub refused: RwSignal<Option<String>>,
    /// The uncertain edit that the annotator visited last.
    pub last_unsure: RwSignal<Option<PointerTarget>>,
    announcement: RwSignal<(String, bool)>,
    /// State that exists in the browser only.
    tab: RwSignal<Option<StoredValue<WorkspaceTab, LocalStorage>>>,
}

/// The output under the pointer, and the edit in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PointerTarget {
    pub output: OutputId,
    /// The number of the edit among its edits.
    pub edit: Option<usize>,
}

/// State of this tab.
pub(super) struct WorkspaceTab {
    pub(super) id: Uuid,
    pub(super) queue: ChangeQueue,
    pub(super) activity: TabActivity,
}

impl WorkspaceState {
    pub(super) fn new(task: AnnotationTask) -> Self {
        let draft = AnnotationDraft::new(task);
        Self {
            step: RwSignal::new(draft.step()),
            draft: RwSignal::new(draft),
            pointed: RwSignal::new(None),
            saving: SavingStatus::default(),
            ready: RwSignal::new(false),
            refused: RwSignal::new(None),
            last_unsure: RwSignal::new(None),
            announcement: RwSignal::new((String::new(), false)),
            tab: RwSignal::new(None),
        }
    }

    /// Whether answers are accepted: the source is open, and the browser's stored changes are loaded.
    pub fn takes_answers(&self) -> bool {
        self.ready.get() && self.draft.with(AnnotationDraft::is_open)
    }

    /// Whether the page is not hydrated yet, so that nothing can be done on it.
    pub fn is_not_ready(self) -> impl Fn() -> bool + Copy + Send + Sync + 'static {
        move || !self.ready.get()
    }

    /// Applies the annotator's changes as one undoable action.
    pub fn act(
        &self,
        answers: impl IntoIterator<Item = (AnnotationSlot, AnnotationAnswer)>,
        joining: UndoGrouping,
    ) {
        self.change(|draft, new_id| draft.apply_action(answers, joining, new_id));
    }

    /// Resolves a version conflict with the answer given here.
    pub fn keep_mine(&self, slot: &AnnotationSlot) {
        self.change(|draft, new_id| draft.keep_mine(slot, new_id()).into_iter().collect());
    }

    /// Resolves a version conflict with the stored answer.
    pub fn take_theirs(&self, slot: &AnnotationSlot) {
        self.with_tab(|tab| tab.queue.resolve_conflict(slot));
        self.draft.update(|draft| draft.take_theirs(slot));
    }

    /// Undoes the last action, and shows where it was.
    pub fn undo(&self) {
        self.go_back("Undone", |draft, new_id| draft.undo(new_id));
    }

    /// Redoes the last undone action, and shows where it was.
    pub fn redo(&self) {
        self.go_back("Done again", |draft, new_id| draft.redo(new_id));
    }

    fn go_back(
        &self,
        message: &str,
        how: impl FnOnce(&mut AnnotationDraft, fn() -> AnnotationId) -> Option<UndoEffect>,
    ) {
        let mut place = None;
        self.change(|draft, new_id| {
            let Some(UndoEffect {
                changes,
                step,
                output,
            }) = how(draft, new_id)
            else {
                return vec![];
            };
            place = Some((step, output));
            changes
        });
        if let Some((step, output)) = place {
            self.announce(message);
            self.go(step, output);
        }
    }

    /// Shows a step, and in it an output.
    pub fn go(&self, step: AnnotationStep, output: Option<OutputId>) {
        if self.step.get_untracked() != step {
            self.step.set(step);
            self.pointed.set(None);
            if self.draft.with_untracked(AnnotationDraft::is_open) {
                let progress = AnnotationAnswer::Progress(step);
                self.change(|draft, new_id| {
                    draft
                        .set_answer(AnnotationSlot::Progress, progress, new_id())
                        .into_iter()
                        .collect()
                });
            }
        }
        match output {
            Some(output) => browser::focus_soon(place_id(output)),
            None => browser::focus_soon(STEP_HEADING.to_owned()),
        }
    }

    fn change(
        &self,
        how: impl FnOnce(&mut AnnotationDraft, fn() -> AnnotationId) -> Vec<AnnotationChange>,
    ) {
        if !self.takes_answers_now() {
            return;
        }
        let open = self.draft.with_untracked(|draft| draft.conflicts().clone());
        let changes = self
            .draft
            .try_update(|draft| how(draft, browser::new_id))
            .unwrap_or_default();
        // A new answer of the annotator also resolves a conflict.
        let ended = |slot: &AnnotationSlot| {
            self.draft
                .with_untracked(|d| !d.conflicts().contains_key(slot))
        };
        for slot in open.into_keys().filter(ended) {
            self.with_tab(|tab| tab.queue.resolve_conflict(&slot));
        }
        if changes.is_empty() {
            return;
        }
        let step = self.step.get_untracked();
        self.with_tab(|tab| {
            tab.activity.interact(browser::now_ms(), step);
            tab.queue.push(changes, tab.activity.report(tab.id));
        });
    }

    fn takes_answers_now(&self) -> bool {
        self.ready.get_untracked() && self.draft.with_untracked(AnnotationDraft::is_open)
    }

    /// Announces a message to screen readers.
    pub fn announce(&self, words: impl Into<String>) {
        let words = words.into();
        self.announcement
            .update(|message| *message = (words, !message.1));
    }

    /// The announced text. A repeated text differs by a space, or it would not be read again.
    pub(super) fn announcement(&self) -> String {
        self.announcement.with(|(words, again)| {
            if *again {
                format!("{words}\u{a0}")
            } else {
                words.clone()
            }
        })
    }

    pub(super) fn open_tab(&self, tab: WorkspaceTab) {
        self.tab.set(Some(StoredValue::new_local(tab)));
    }

    pub(super) fn with_tab(&self, what: impl FnOnce(&mut WorkspaceTab)) {
        if let Some(tab) = self.tab.get_untracked() {
            tab.update_value(what);
        }
    }
}

/// The id of the element that takes the focus for an output, in any step.
pub fn place_id(output: OutputId) -> String {
    format!("at-{output}")
}

/// The id of the current step's heading.
pub const STEP_HEADING: &str = "step";
