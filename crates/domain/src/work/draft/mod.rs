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
        task::{AnnotationTask, TaskItem},
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
        matches!(self.task.state, AssignmentState::Open)
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
