//! A source in progress: the task as assigned, the answers since, and those not yet confirmed.

mod answers;
mod synchronisation;

use std::collections::BTreeMap;

pub use self::{answers::CategoryPlacement, synchronisation::AnswerConflict};
use crate::{
    ids::{AnnotationId, OutputId},
    study::AssignmentState,
    work::{
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, StoredAnswer},
        history::UndoHistory,
        order,
        task::{AnnotationTask, LeadQuestion, TaskItem},
    },
};

/// The annotator's view of one source, with every answer that is current in this browser.
#[derive(Debug, Clone, PartialEq)]
pub struct AnnotationDraft {
    task: AnnotationTask,
    current: BTreeMap<AnnotationSlot, CurrentAnswer>,
    conflicts: BTreeMap<AnnotationSlot, AnswerConflict>,
    pub(super) history: UndoHistory,
}

/// The answer to a slot, as this browser knows it.
#[derive(Debug, Clone, PartialEq)]
struct CurrentAnswer {
    id: AnnotationId,
    answer: AnnotationAnswer,
    /// Answers given here, the current one last, that the server has not confirmed.
    unsaved: Vec<AnnotationId>,
}

impl AnnotationDraft {
    /// A draft in the server's state.
    #[must_use]
    pub fn new(mut task: AnnotationTask) -> Self {
        let current = std::mem::take(&mut task.answers)
            .into_iter()
            .map(|StoredAnswer { id, slot, answer }| {
                (
                    slot,
                    CurrentAnswer {
                        id,
                        answer,
                        unsaved: vec![],
                    },
                )
            })
            .collect();

        Self {
            task,
            current,
            conflicts: BTreeMap::new(),
            history: UndoHistory::default(),
        }
    }

    /// The task, without its answers.
    #[must_use]
    pub const fn task(&self) -> &AnnotationTask {
        &self.task
    }

    /// Whether answers are accepted.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self.task.state, AssignmentState::Open) && !self.task.is_study_closed
    }

    /// Whether answers about an output are accepted: in a source that was given back for single outputs, only these
    /// can be changed.
    #[must_use]
    pub fn may_change(&self, output: OutputId) -> bool {
        !self.task.only_questions || self.questions(output).next().is_some()
    }

    /// The lead's questions about an output.
    pub fn questions(&self, output: OutputId) -> impl Iterator<Item = &LeadQuestion> {
        let questions = self.task.questions.iter();
        questions.filter(move |question| question.output == output)
    }

    /// Whether an answer changes only what can be changed; an order, only the places of outputs that can be changed.
    #[must_use]
    pub fn may_answer(&self, slot: &AnnotationSlot, answer: &AnnotationAnswer) -> bool {
        if !self.task.only_questions {
            return true;
        }
        if let AnnotationSlot::Comparison { outputs, .. } = slot {
            return outputs.iter().any(|output| self.may_change(*output));
        }

        match (slot.output(), answer) {
            (Some(output), _) => self.may_change(output),
            (None, AnnotationAnswer::Order(order)) => {
                let outputs: Vec<_> = self.task.items.iter().map(|item| item.output).collect();
                let changeable: Vec<_> = self.task.questions.iter().map(|q| q.output).collect();
                let after = order.as_ref().unwrap_or(&outputs);
                order::moves_only(&self.order(), after, &changeable, &|output| {
                    self.placement(output).category
                })
            }
            (None, _) => true,
        }
    }

    /// The task item of `output`.
    #[must_use]
    pub fn item(&self, output: OutputId) -> Option<&TaskItem> {
        self.task.items.iter().find(|item| item.output == output)
    }

    /// The answer to `slot`; an empty one if there is none.
    #[must_use]
    pub fn answer(&self, slot: &AnnotationSlot) -> AnnotationAnswer {
        self.current
            .get(slot)
            .map_or_else(|| slot.unanswered(), |c| c.answer.clone())
    }

    /// Records an answer; `None` if it is already the current one.
    ///
    /// The annotator's actions go through [`AnnotationDraft::apply_action`], which remembers them for undo.
    pub fn set_answer(
        &mut self,
        slot: AnnotationSlot,
        answer: AnnotationAnswer,
        id: AnnotationId,
    ) -> Option<AnnotationChange> {
        if self.answer(&slot) == answer {
            return None;
        }

        self.conflicts.remove(&slot);
        let before = self.current.remove(&slot);
        let supersedes = before.as_ref().map(|c| c.id);
        let mut unsaved = before.map(|c| c.unsaved).unwrap_or_default();
        unsaved.push(id);
        self.current.insert(
            slot.clone(),
            CurrentAnswer {
                id,
                answer: answer.clone(),
                unsaved,
            },
        );

        Some(AnnotationChange {
            id,
            supersedes,
            slot,
            answer,
        })
    }

    /// The number of answers that the server has not confirmed.
    #[cfg(test)]
    pub(super) fn unsaved_count(&self) -> usize {
        self.current.values().map(|c| c.unsaved.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        category::Category,
        ids::DiscussionId,
        study::WorkLayout,
        work::{
            change::AnnotationStep,
            history::UndoGrouping,
            missing::list_missing,
            order::{OrderMove, move_output},
            test_tasks::{counter, output, rating, task},
        },
    };

    #[test]
    fn of_a_source_given_back_for_one_output_nothing_else_changes() {
        let mut task = task(4);
        let note = "Is the cause still told?".to_owned();
        task.questions = vec![LeadQuestion {
            id: DiscussionId(uuid::Uuid::nil()),
            output: output(2),
            note,
        }];
        task.only_questions = true;
        let mut draft = AnnotationDraft::new(task);
        let mut new_id = counter(0);
        let mut act = |draft: &mut AnnotationDraft, answer| {
            let changes = draft.apply_action([answer], UndoGrouping::Separate, &mut new_id);
            changes.len()
        };
        assert_eq!(act(&mut draft, rating(1, Some(50))), 0);
        let category = draft.placement_answer(output(3), Category::Deletion);
        assert_eq!(act(&mut draft, category), 0);
        assert_eq!(list_missing(&draft).len(), 1, "only the output is missing");
        assert_eq!(act(&mut draft, rating(2, Some(50))), 1);
        let first = draft.outputs_in(Category::Paraphrase);
        assert_eq!(first, [output(2), output(4)]);
        let moved = move_output(&first, output(4), OrderMove::First).expect("a move");
        let order = draft.order_answer(&moved);
        assert_eq!(
            act(&mut draft, order),
            1,
            "only the output moves past another"
        );
        let others = move_output(
            &draft.outputs_in(Category::Split),
            output(3),
            OrderMove::First,
        );
        let order = draft.order_answer(&others.expect("a move"));
        assert_eq!(act(&mut draft, order), 0);
        let undone = draft.undo(&mut new_id_after()).expect("an action");
        assert_eq!(undone.changes.len(), 1);
    }

    #[test]
    fn where_steps_are_merged_the_last_one_shows_all_and_undo_tells_the_part() {
        let mut task = task(2);
        task.layout = WorkLayout::Merged;
        let (mut draft, mut new_id) = (AnnotationDraft::new(task), counter(0));
        assert_eq!(draft.step(), AnnotationStep::Rate);
        let progress = AnnotationAnswer::Progress(AnnotationStep::Highlight);
        draft.set_answer(AnnotationSlot::Progress, progress, new_id());
        assert_eq!(draft.step(), AnnotationStep::Rate);
        let edits = (
            AnnotationSlot::Edits { output: output(1) },
            AnnotationAnswer::Edits(Some(vec![])),
        );
        let placed = draft.placement_answer(output(2), Category::Deletion);
        for answer in [edits, rating(1, Some(50)), placed] {
            draft.apply_action([answer], UndoGrouping::Separate, &mut new_id);
        }
        let steps = [(); 3].map(|()| draft.undo(&mut new_id).map(|undone| undone.step));
        let expected = [
            AnnotationStep::Categorise,
            AnnotationStep::Rate,
            AnnotationStep::Highlight,
        ];
        assert_eq!(steps, expected.map(Some));
    }

    fn new_id_after() -> impl FnMut() -> AnnotationId {
        counter(100)
    }
}
