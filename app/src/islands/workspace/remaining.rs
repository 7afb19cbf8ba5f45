//! The answers that are left to give.

use domain::work::{draft::AnnotationDraft, missing::count_left_to_judge};
use leptos::prelude::*;

use super::WorkspaceState;

/// The kinds of answers that are left to give. They are unknown at first, because counting needs code that
/// comes with the later steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RemainingWork {
    /// The number of places that lack an answer; `None` until they are counted.
    left: Option<usize>,
    /// Whether the spans of all outputs are marked.
    pub(super) marks_are_done: bool,
    /// Whether all outputs are scored, or all comparisons made.
    pub(super) scores_are_done: bool,
    /// Whether all questions are answered.
    pub(super) answers_are_done: bool,
    /// Whether the text is written.
    pub(super) text_is_written: bool,
}

impl RemainingWork {
    /// Whether nothing is left.
    pub(super) fn is_complete(self) -> bool {
        self.left == Some(0)
    }

    fn new(draft: &AnnotationDraft) -> Self {
        let mut items = draft.task().items.iter();
        let is_done = |is_open: fn(&AnnotationDraft, domain::ids::OutputId) -> bool| {
            let mut outputs = draft.task().items.iter().map(|item| item.output);
            !outputs.any(|output| draft.may_change(output) && is_open(draft, output))
        };

        Self {
            left: Some(count_left_to_judge(draft)),
            marks_are_done: !items.any(|item| draft.is_unmarked(item.output)),
            scores_are_done: match draft.protocol().scores() {
                true => is_done(AnnotationDraft::is_unrated),
                false => draft.count_open_comparisons() == 0,
            },
            answers_are_done: draft.list_unanswered().is_empty(),
            text_is_written: !draft.is_unwritten(),
        }
    }
}

/// Keeps the count up to date.
pub(super) fn follow(work: WorkspaceState) {
    let counted = Memo::new(move |_| work.draft.with(RemainingWork::new));
    Effect::new(move |_| work.remaining.set(counted.get()));
}
