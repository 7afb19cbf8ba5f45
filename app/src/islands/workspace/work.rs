//! The state that the parts of the workspace share, and what the annotator can do with it.

use domain::{
    ids::{AnnotationId, OutputId},
    work::{
        activity::Activity,
        change::{Answer, Change, Slot, Step},
        draft::Draft,
        history::{Joining, Returned},
        task::Task,
    },
};
use leptos::prelude::*;
use uuid::Uuid;

use crate::{
    browser,
    islands::queue::{Queue, Saving},
};

/// One source in work. Small, to be handed around.
#[derive(Clone, Copy)]
pub struct Work {
    /// What is judged, and every answer that is current here.
    pub draft: RwSignal<Draft>,
    /// The step that is shown.
    pub step: RwSignal<Step>,
    /// What the pointer or the focus is on.
    pub pointed: RwSignal<Option<Pointed>>,
    /// What is shown of the queue.
    pub saving: Saving,
    /// Whether what the browser kept is in, so that answers are taken.
    pub ready: RwSignal<bool>,
    /// What goes wrong outside the queue: a sentence.
    pub refused: RwSignal<Option<String>>,
    /// The edit to look at first that the annotator was led to last.
    pub led_to: RwSignal<Option<Pointed>>,
    said: RwSignal<(String, bool)>,
    /// What lives in the browser only.
    tab: RwSignal<Option<StoredValue<Tab, LocalStorage>>>,
}

/// The output that is pointed at, and the edit in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointed {
    /// The output.
    pub output: OutputId,
    /// The number of the edit among its edits.
    pub edit: Option<usize>,
}

/// What belongs to this tab.
pub(super) struct Tab {
    pub(super) id: Uuid,
    pub(super) queue: Queue,
    pub(super) activity: Activity,
}

impl Work {
    pub(super) fn new(task: Task) -> Self {
        let draft = Draft::new(task);
        Self {
            step: RwSignal::new(draft.step()),
            draft: RwSignal::new(draft),
            pointed: RwSignal::new(None),
            saving: Saving::default(),
            ready: RwSignal::new(false),
            refused: RwSignal::new(None),
            led_to: RwSignal::new(None),
            said: RwSignal::new((String::new(), false)),
            tab: RwSignal::new(None),
        }
    }

    /// Whether answers are taken: the source is open, and what the browser kept is in.
    pub fn takes_answers(&self) -> bool {
        self.ready.get() && self.draft.with(Draft::is_open)
    }

    /// Whether the page is not awake yet, so that nothing can be done on it.
    pub fn asleep(self) -> impl Fn() -> bool + Copy + Send + Sync + 'static {
        move || !self.ready.get()
    }

    /// Does what the annotator did, as one action.
    pub fn act(&self, answers: impl IntoIterator<Item = (Slot, Answer)>, joining: Joining) {
        self.change(|draft, new_id| draft.act(answers, joining, new_id));
    }

    /// Ends a version conflict with the answer given here.
    pub fn keep_mine(&self, slot: &Slot) {
        self.change(|draft, new_id| draft.keep_mine(slot, new_id()).into_iter().collect());
    }

    /// Ends a version conflict with the stored answer.
    pub fn take_theirs(&self, slot: &Slot) {
        self.with_tab(|tab| tab.queue.chosen(slot));
        self.draft.update(|draft| draft.take_theirs(slot));
    }

    /// Takes the last action back, and shows where that was.
    pub fn undo(&self) {
        self.go_back("Undone", |draft, new_id| draft.undo(new_id));
    }

    /// Does again what was taken back last, and shows where that was.
    pub fn redo(&self) {
        self.go_back("Done again", |draft, new_id| draft.redo(new_id));
    }

    fn go_back(
        &self,
        said: &str,
        how: impl FnOnce(&mut Draft, fn() -> AnnotationId) -> Option<Returned>,
    ) {
        let mut place = None;
        self.change(|draft, new_id| {
            let Some(Returned {
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
            self.say(said);
            self.go(step, output);
        }
    }

    /// Shows a step, and in it an output.
    pub fn go(&self, step: Step, output: Option<OutputId>) {
        if self.step.get_untracked() != step {
            self.step.set(step);
            self.pointed.set(None);
            if self.draft.with_untracked(Draft::is_open) {
                let progress = Answer::Progress(step);
                self.change(|draft, new_id| {
                    draft
                        .give(Slot::Progress, progress, new_id())
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

    fn change(&self, how: impl FnOnce(&mut Draft, fn() -> AnnotationId) -> Vec<Change>) {
        if !self.takes_answers_now() {
            return;
        }
        let open = self.draft.with_untracked(|draft| draft.conflicts().clone());
        let changes = self
            .draft
            .try_update(|draft| how(draft, browser::new_id))
            .unwrap_or_default();
        // A conflict also ends where the annotator simply answers anew.
        let ended = |slot: &Slot| {
            self.draft
                .with_untracked(|d| !d.conflicts().contains_key(slot))
        };
        for slot in open.into_keys().filter(ended) {
            self.with_tab(|tab| tab.queue.chosen(&slot));
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
        self.ready.get_untracked() && self.draft.with_untracked(Draft::is_open)
    }

    /// Tells a screen reader what happened.
    pub fn say(&self, words: impl Into<String>) {
        let words = words.into();
        self.said.update(|said| *said = (words, !said.1));
    }

    /// What is told. The same words twice differ by a space, else they would not be read again.
    pub(super) fn said(&self) -> String {
        self.said.with(|(words, again)| {
            if *again {
                format!("{words}\u{a0}")
            } else {
                words.clone()
            }
        })
    }

    pub(super) fn open_tab(&self, tab: Tab) {
        self.tab.set(Some(StoredValue::new_local(tab)));
    }

    pub(super) fn with_tab(&self, what: impl FnOnce(&mut Tab)) {
        if let Some(tab) = self.tab.get_untracked() {
            tab.update_value(what);
        }
    }
}

/// The id of the element that takes the focus for an output, in any step.
pub fn place_id(output: OutputId) -> String {
    format!("at-{output}")
}

/// The id of the heading of the step that is shown.
pub const STEP_HEADING: &str = "step";
