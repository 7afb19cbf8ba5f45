//! Undo and redo over all three steps. Taking back is itself a new answer that supersedes.

use serde::{Deserialize, Serialize};

use crate::{
    ids::{AnnotationId, OutputId},
    work::{
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, AnnotationStep},
        draft::AnnotationDraft,
    },
};

/// What the annotator did in this tab, as far as it can be taken back or done again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct UndoHistory {
    past: Vec<UndoableAction>,
    future: Vec<UndoableAction>,
}

/// One action of the annotator, over one slot or several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct UndoableAction {
    parts: Vec<SlotChange>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SlotChange {
    slot: AnnotationSlot,
    before: AnnotationAnswer,
    after: AnnotationAnswer,
}

/// How an action stands to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoGrouping {
    /// It is taken back on its own.
    Separate,
    /// It goes on with the one before, where that was about the same slots: the arrow keys on a
    /// slider are one action.
    MergeWithPrevious,
}

/// What undo or redo changed, and where that can be seen.
#[derive(Debug, Clone, PartialEq)]
pub struct UndoEffect {
    /// To be sent.
    pub changes: Vec<AnnotationChange>,
    /// The step to show.
    pub step: AnnotationStep,
    /// The output to show, where it is about one.
    pub output: Option<OutputId>,
}

/// More actions than a person will take back; the oldest are forgotten.
const MAX_ACTIONS: usize = 500;

impl UndoHistory {
    /// Forgets what was done to a slot whose answer came from elsewhere: undo only takes back what
    /// was done here.
    pub(super) fn forget(&mut self, slot: &AnnotationSlot) {
        for actions in [&mut self.past, &mut self.future] {
            for action in actions.iter_mut() {
                action.parts.retain(|part| part.slot != *slot);
            }
            actions.retain(|action| !action.parts.is_empty());
        }
    }

    fn remember(&mut self, parts: Vec<SlotChange>, joining: UndoGrouping) {
        self.future.clear();
        if joining == UndoGrouping::MergeWithPrevious
            && let Some(last) = self.past.last_mut()
            && last.parts.len() == parts.len()
            && last.parts.iter().zip(&parts).all(|(a, b)| a.slot == b.slot)
        {
            for (part, new) in last.parts.iter_mut().zip(parts) {
                part.after = new.after;
            }
            return;
        }
        self.past.push(UndoableAction { parts });
        if self.past.len() > MAX_ACTIONS {
            self.past.remove(0);
        }
    }
}

impl AnnotationDraft {
    /// Does what the annotator did: one action, however many slots. Gives the changes to send, none
    /// where nothing is new.
    pub fn apply_action(
        &mut self,
        answers: impl IntoIterator<Item = (AnnotationSlot, AnnotationAnswer)>,
        joining: UndoGrouping,
        mut new_id: impl FnMut() -> AnnotationId,
    ) -> Vec<AnnotationChange> {
        let (mut parts, mut changes) = (vec![], vec![]);
        for (slot, after) in answers {
            let before = self.answer(&slot);
            if before == after {
                continue;
            }
            changes.extend(self.set_answer(slot.clone(), after.clone(), new_id()));
            parts.push(SlotChange {
                slot,
                before,
                after,
            });
        }
        if !parts.is_empty() {
            self.history.remember(parts, joining);
        }
        changes
    }

    /// Takes the last action back.
    pub fn undo(&mut self, new_id: impl FnMut() -> AnnotationId) -> Option<UndoEffect> {
        let action = self.history.past.pop()?;
        let to = action
            .parts
            .iter()
            .rev()
            .map(|p| (p.slot.clone(), p.before.clone()))
            .collect();
        let returned = self.restore_answers(to, new_id);
        self.history.future.push(action);
        returned
    }

    /// Does the action again that was taken back last.
    pub fn redo(&mut self, new_id: impl FnMut() -> AnnotationId) -> Option<UndoEffect> {
        let action = self.history.future.pop()?;
        let to = action
            .parts
            .iter()
            .map(|p| (p.slot.clone(), p.after.clone()))
            .collect();
        let returned = self.restore_answers(to, new_id);
        self.history.past.push(action);
        returned
    }

    fn restore_answers(
        &mut self,
        answers: Vec<(AnnotationSlot, AnnotationAnswer)>,
        mut new_id: impl FnMut() -> AnnotationId,
    ) -> Option<UndoEffect> {
        let slot = &answers.first()?.0;
        let (step, output) = (slot.step()?, slot.output());
        let changes = answers
            .into_iter()
            .filter_map(|(slot, to)| self.set_answer(slot, to, new_id()))
            .collect();
        Some(UndoEffect {
            changes,
            step,
            output,
        })
    }

    /// Whether there is anything to undo.
    #[must_use]
    pub const fn can_undo(&self) -> bool {
        !self.history.past.is_empty()
    }

    /// Whether there is anything to redo.
    #[must_use]
    pub const fn can_redo(&self) -> bool {
        !self.history.future.is_empty()
    }

    /// What can be undone and redone, to be kept over a reload.
    #[must_use]
    pub const fn history(&self) -> &UndoHistory {
        &self.history
    }

    /// Takes a kept history up again, as far as the answers are still those that it left.
    pub fn restore_history(&mut self, mut kept: UndoHistory) {
        let mut stale: Vec<AnnotationSlot> = vec![];
        for (slot, left) in kept.final_answers() {
            if self.answer(&slot) != left {
                stale.push(slot);
            }
        }
        for slot in stale {
            kept.forget(&slot);
        }
        self.history = kept;
    }
}

impl UndoHistory {
    /// What each slot it is about was left at.
    fn final_answers(&self) -> Vec<(AnnotationSlot, AnnotationAnswer)> {
        let mut left: Vec<(AnnotationSlot, AnnotationAnswer)> = vec![];
        // The next action to redo starts from what its `before` says.
        let done = self
            .past
            .iter()
            .rev()
            .flat_map(|a| a.parts.iter().map(|p| (&p.slot, &p.after)));
        let undone = self
            .future
            .iter()
            .rev()
            .flat_map(|a| a.parts.iter().map(|p| (&p.slot, &p.before)));
        for (slot, answer) in done.chain(undone) {
            if !left.iter().any(|(known, _)| known == slot) {
                left.push((slot.clone(), answer.clone()));
            }
        }
        left
    }
}
