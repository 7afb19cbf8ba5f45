//! The shared state of the workspace, and the annotator's actions on it.

use std::time::Duration;

use domain::{
    category::Category,
    ids::{AnnotationId, OutputId},
    protocol::ProtocolStep,
    questions::QuestionAbout,
    span::Span,
    work::{
        activity::TabActivity,
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, AnnotationStep},
        draft::AnnotationDraft,
        history::{UndoEffect, UndoGrouping},
        task::AnnotationTask,
        walk::{list_outputs, walk},
    },
};
use leptos::prelude::*;
use uuid::Uuid;

use super::{remaining::RemainingWork, teaching};
use crate::{
    browser,
    islands::queue::{ChangeQueue, SavingStatus},
};

/// The state of one source in the workspace. Cheap to copy.
#[derive(Clone, Copy)]
pub struct WorkspaceState {
    /// The task with all current answers.
    pub draft: RwSignal<AnnotationDraft>,
    /// The current step.
    pub step: RwSignal<AnnotationStep>,
    /// The number of the current comparison, from 0, in a step that compares.
    pub(super) comparison: RwSignal<usize>,
    /// The answers that are left to give. The code that counts them comes with the later steps.
    pub(super) remaining: RwSignal<RemainingWork>,
    /// Whether the code of the later steps is there.
    pub(super) later_steps: RwSignal<bool>,
    /// The edit or output under the pointer or the focus.
    pub pointed: RwSignal<Option<PointerTarget>>,
    /// The words or the mark whose dialog is open, in a step that marks spans.
    pub(super) marking: RwSignal<Option<MarkTarget>>,
    /// The displayed state of the queue.
    pub saving: SavingStatus,
    /// Whether the browser's stored changes are loaded, so that answers are accepted.
    pub ready: RwSignal<bool>,
    /// The last step that the annotator of a tutorial tried to leave: mistakes up to there are shown.
    pub tried: RwSignal<Option<AnnotationStep>>,
    /// In a tutorial: finds the first output whose edits differ from the expected ones. Its code comes with
    /// the later steps.
    pub(super) uncorrected: StoredValue<fn(&AnnotationDraft) -> Option<OutputId>>,
    /// An error outside the queue: a sentence.
    pub refused: RwSignal<Option<String>>,
    /// The doubtful edit that the annotator visited last.
    pub last_unsure: RwSignal<Option<PointerTarget>>,
    /// For a preview, which saves nothing: the address that it leads back to.
    preview: StoredValue<Option<String>>,
    /// The output that last had the focus, the only one at which the Tab key stops.
    current: RwSignal<Option<OutputId>>,
    /// The number of outputs drawn so far since the step changed.
    drawn: RwSignal<usize>,
    announcement: RwSignal<(String, bool)>,
    /// State that exists in the browser only.
    tab: RwSignal<Option<StoredValue<WorkspaceTab, LocalStorage>>>,
}

/// The output under the pointer, and the edit in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PointerTarget {
    pub output: OutputId,
    /// The number of the edit or mark among those of the output.
    pub edit: Option<usize>,
}

/// The subject of the dialog of a step that marks spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkTarget {
    /// Words of an output without a mark.
    Words { output: OutputId, words: Span },
    /// Words of the source that have yet to be chosen.
    Source { output: OutputId },
    /// A mark, by its number.
    Mark { output: OutputId, number: usize },
}

/// State of this tab.
pub(super) struct WorkspaceTab {
    pub(super) id: Uuid,
    pub(super) queue: ChangeQueue,
    pub(super) activity: TabActivity,
}

impl WorkspaceState {
    pub(super) fn new(task: AnnotationTask, preview: Option<String>) -> Self {
        let draft = AnnotationDraft::new(task);
        let step = draft.step();

        Self {
            current: RwSignal::new(list_outputs(&draft, step).first().copied()),
            comparison: RwSignal::new(draft.first_comparison(None)),
            drawn: RwSignal::new(ALL_DRAWN),
            preview: StoredValue::new(preview),
            step: RwSignal::new(step),
            remaining: RwSignal::new(RemainingWork::default()),
            later_steps: RwSignal::new(false),
            draft: RwSignal::new(draft),
            pointed: RwSignal::new(None),
            marking: RwSignal::new(None),
            saving: SavingStatus::default(),
            ready: RwSignal::new(false),
            tried: RwSignal::new(None),
            uncorrected: StoredValue::new(|_| None),
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

    /// For a preview, which saves nothing: the address that it leads back to.
    pub(super) fn preview(&self) -> Option<String> {
        self.preview.get_value()
    }

    /// Whether all three steps are done in one place; constant for a task.
    pub fn is_merged(&self) -> bool {
        self.draft.with_untracked(AnnotationDraft::is_merged)
    }

    /// Whether the protocol has a step that marks spans.
    pub(super) fn marks_spans(&self) -> bool {
        (self.draft).with_untracked(|draft| draft.taxonomy().is_some())
    }

    /// Whether answers about an output are accepted.
    pub fn takes(&self, output: OutputId) -> bool {
        self.takes_answers() && self.draft.with(|draft| draft.may_change(output))
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
        self.change(|draft, new_id| draft.keep_mine(slot, new_id));
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
                comparison,
            }) = how(draft, new_id)
            else {
                return vec![];
            };
            place = Some((step, output, comparison));
            changes
        });

        if let Some((step, output, comparison)) = place {
            self.go_to(step, output, comparison);
            self.announce(message);
        }
    }

    /// Puts an output in a category.
    pub fn put(&self, output: OutputId, category: Category) {
        let (old, placed) = self.draft.with_untracked(|draft| {
            (
                draft.placement(output).category,
                draft.placement_answer(output, category),
            )
        });

        if old != category {
            self.act([placed], UndoGrouping::Separate);
            self.announce(format!("Moved to {}", category.title()));
        }

        browser::focus_soon(place_id(output));
    }

    /// The function that names the element that receives the focus for the text and edits of an output.
    pub(super) fn text_place(&self) -> PlaceName {
        match self.is_merged() {
            true => text_id,
            false => place_id,
        }
    }

    /// Goes to the `place` of the next output in this step, or with `by` -1 to the previous one. Hidden
    /// outputs are skipped; at either end the focus returns to the output itself.
    pub fn travel(&self, output: OutputId, by: isize, place: PlaceName) {
        let step = self.step.get_untracked();

        if untrack(|| self.shows_one()) {
            let next = self
                .draft
                .with_untracked(|draft| walk(draft, step, output, by));
            self.make_current(next);
            return browser::focus_soon(place(next));
        }

        let mut to = output;
        loop {
            let next = self.draft.with_untracked(|draft| walk(draft, step, to, by));
            if next == to {
                return browser::focus(&place(output));
            }
            to = next;
            if browser::is_shown(&place(to)) {
                return browser::focus(&place(to));
            }
        }
    }

    /// Makes an output the one at which the Tab key stops.
    pub fn make_current(&self, output: OutputId) {
        if self.current.get_untracked() != Some(output) {
            self.current.set(Some(output));
        }
    }

    /// Whether the Tab key stops at an output.
    pub fn is_current(&self, output: OutputId) -> bool {
        self.current.get() == Some(output)
    }

    /// The `tabindex` of an output's controls.
    pub fn tab_index(
        self,
        output: OutputId,
    ) -> impl Fn() -> &'static str + Copy + Send + Sync + 'static {
        move || {
            if self.is_current(output) { "0" } else { "-1" }
        }
    }

    /// Whether the current step's code is loaded, so that it can be drawn.
    pub(super) fn is_step_there(&self) -> bool {
        self.step.get() == AnnotationStep::Categorise || self.later_steps.get()
    }

    /// Shows the output of a lead's question, in the step that judged it last.
    pub(super) fn look_again(&self, question: usize) {
        let place = self.draft.with_untracked(|draft| {
            let asked = draft.task().questions.get(question)?.output;
            let comparison = draft.first_comparison(Some(asked));
            Some((draft.last_judging_step(), asked, comparison))
        });
        if let Some((step, output, comparison)) = place {
            self.go_to(step, Some(output), Some(comparison));
        }
    }

    /// Shows a step, and in it an output or a comparison.
    pub(super) fn go_to(
        &self,
        step: AnnotationStep,
        output: Option<OutputId>,
        comparison: Option<usize>,
    ) {
        if let Some(number) = comparison {
            self.comparison.set(number);
        }
        self.go(step, output);
    }

    /// Shows a step, and in it an output: the given one, or else the first.
    pub fn go(&self, step: AnnotationStep, output: Option<OutputId>) {
        if teaching::holds_back(*self, step) {
            return;
        }

        let place = match step {
            AnnotationStep::Highlight => self.text_place(),
            _ => place_id,
        };
        let step = self.draft.with_untracked(|draft| draft.shown_step(step));
        let outputs = self.draft.with_untracked(|draft| list_outputs(draft, step));
        let at = output
            .and_then(|output| outputs.iter().position(|candidate| *candidate == output))
            .unwrap_or_default();

        if self.step.get_untracked() != step {
            self.drawn.set(at + DRAWN_AT_ONCE);
            self.draw_others(outputs.len());
            self.step.set(step);
            self.pointed.set(None);

            let title = (self.draft)
                .with_untracked(|draft| draft.protocol().find(step).map(ProtocolStep::title));
            self.announce(title.unwrap_or_default());

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

        if self.compares() {
            return browser::focus_soon(COMPARISON_ID.to_owned());
        }

        if output.is_none()
            && let Some(place) = self.source_place()
        {
            return browser::focus_soon(place.to_owned());
        }

        if let Some(output) = outputs.get(at) {
            self.make_current(*output);
            browser::focus_soon(place(*output));
        }
    }

    /// Whether the current step compares outputs.
    pub(super) fn compares(&self) -> bool {
        let compares = |draft: &AnnotationDraft| draft.protocol().compares();
        self.step.get_untracked() == AnnotationStep::Rate && self.draft.with_untracked(compares)
    }

    /// The element that receives the focus in a step that begins with the source: its questions, or the text
    /// to write.
    fn source_place(&self) -> Option<&'static str> {
        let asks = |draft: &AnnotationDraft| {
            let step = draft.answer_step();
            step.is_some_and(|step| step.asks(QuestionAbout::Source))
        };
        match self.step.get_untracked() {
            AnnotationStep::Write => Some(WRITTEN_TEXT_ID),
            AnnotationStep::Answer => self
                .draft
                .with_untracked(asks)
                .then_some(SOURCE_QUESTIONS_ID),
            _ => None,
        }
    }

    /// Draws the outputs further down, some in each frame, so that those in sight need not wait.
    fn draw_others(self, count: usize) {
        request_animation_frame(move || {
            let draw = move || {
                let drawn = self.drawn.get_untracked() + DRAWN_IN_A_FRAME;
                if drawn < count {
                    self.drawn.set(drawn);
                    self.draw_others(count);
                } else {
                    self.drawn.set(ALL_DRAWN);
                }
            };
            // Runs after the frame is shown, not before it.
            set_timeout(draw, Duration::ZERO);
        });
    }

    /// Whether outputs of this step are still to be drawn.
    pub(super) fn is_drawing(&self) -> bool {
        self.drawn.get() != ALL_DRAWN
    }

    /// The view of an output, once it is its turn to be drawn.
    pub(super) fn in_turn(
        self,
        output: OutputId,
        draw: impl Fn() -> AnyView + Send + 'static,
    ) -> impl Fn() -> Option<AnyView> + Send + 'static {
        let step = self.step.get_untracked();
        let outputs = self.draft.with_untracked(|draft| list_outputs(draft, step));
        let at = outputs.iter().position(|candidate| *candidate == output);
        let is_drawn = Memo::new(move |before| {
            before == Some(&true) || at.unwrap_or_default() < self.drawn.get()
        });

        move || is_drawn.get().then(&draw)
    }

    /// Focuses the given output of a source that was just opened, or else its first one, unless something
    /// else has the focus. A given output scrolls into view.
    pub(super) fn focus_at_start(&self, output: Option<OutputId>) {
        let step = self.step.get_untracked();
        if step == AnnotationStep::Write {
            if self.draft.with_untracked(AnnotationDraft::is_open) {
                browser::focus_at_start(WRITTEN_TEXT_ID.to_owned(), false);
            }
            return;
        }

        let first = self.draft.with_untracked(|draft| {
            let first = output.or_else(|| list_outputs(draft, step).first().copied());
            first.filter(|_| draft.is_open())
        });

        if let Some(first) = first {
            self.make_current(first);
            if self.compares() {
                let number = (self.draft).with_untracked(|draft| draft.first_comparison(output));
                self.comparison.set(number);
                return browser::focus_at_start(COMPARISON_ID.to_owned(), output.is_some());
            }

            if output.is_none()
                && let Some(place) = self.source_place()
            {
                return browser::focus_at_start(place.to_owned(), false);
            }

            browser::focus_at_start(place_id(first), output.is_some());
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

        // A new answer by the annotator also resolves a conflict.
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

    /// The announced text. A repeated text differs by a space, because it would not be read again otherwise.
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

/// The id of the heading of the current comparison.
pub(super) const COMPARISON_ID: &str = "comparison";

/// The id of the heading of the questions about the source.
pub(super) const SOURCE_QUESTIONS_ID: &str = "source-questions";

/// The id of the field for the text that annotators write.
pub(super) const WRITTEN_TEXT_ID: &str = "written-text";

/// The name of an output's element: its id on the page.
pub(super) type PlaceName = fn(OutputId) -> String;

/// The id of the element that receives the focus for an output, in any step.
pub fn place_id(output: OutputId) -> String {
    format!("at-{output}")
}

/// The id of an output's text when the steps are merged.
fn text_id(output: OutputId) -> String {
    format!("text-{output}")
}

/// The value of `drawn` once all outputs are drawn.
const ALL_DRAWN: usize = usize::MAX;

/// The number of outputs drawn at once in a new step. More would keep a slow machine from showing any.
const DRAWN_AT_ONCE: usize = 4;

/// The number of further outputs drawn in each frame.
const DRAWN_IN_A_FRAME: usize = 3;
