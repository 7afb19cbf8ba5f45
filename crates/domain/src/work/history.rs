//! Undo and redo over all three steps. An undo is itself a new answer that supersedes the current one.

use serde::{Deserialize, Serialize};

use crate::{
    ids::{AnnotationId, OutputId},
    work::{
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, AnnotationStep},
        draft::AnnotationDraft,
    },
};

/// The annotator's actions in this tab that can be undone or redone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct UndoHistory {
    past: Vec<UndoableAction>,
    future: Vec<UndoableAction>,
}

/// One action of the annotator, on one or several slots.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct UndoableAction {
    parts: Vec<SlotChange>,
    /// The step in which it was done: an output's category can be changed in steps 1 and 3.
    #[serde(default)]
    step: AnnotationStep,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SlotChange {
    slot: AnnotationSlot,
    before: AnnotationAnswer,
    after: AnnotationAnswer,
}

/// The relation of an action to the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoGrouping {
    /// It is undone separately.
    Separate,
    /// It continues the previous one if that concerned the same slots: repeated arrow keys on a
    /// slider are one action.
    MergeWithPrevious,
}

/// The effect of an undo or redo, and where it is visible.
#[derive(Debug, Clone, PartialEq)]
pub struct UndoEffect {
    /// The changes to send.
    pub changes: Vec<AnnotationChange>,
    /// The step that shows it, or would if the steps were not merged.
    pub step: AnnotationStep,
    /// The output to show, if any.
    pub output: Option<OutputId>,
    /// The number of the comparison to show, if any.
    pub comparison: Option<usize>,
}

/// The maximum number of actions kept; the oldest are dropped.
const MAX_ACTIONS: usize = 500;

impl UndoableAction {
    fn find_part(&mut self, slot: &AnnotationSlot) -> Option<&mut SlotChange> {
        self.parts.iter_mut().find(|part| part.slot == *slot)
    }
}

impl UndoHistory {
    /// Drops actions on a slot whose answer came from elsewhere: undo reverts only actions in this tab.
    pub(super) fn forget(&mut self, slot: &AnnotationSlot) {
        for actions in [&mut self.past, &mut self.future] {
            for action in actions.iter_mut() {
                action.parts.retain(|part| part.slot != *slot);
            }
            actions.retain(|action| !action.parts.is_empty());
        }
    }

    fn remember(&mut self, parts: Vec<SlotChange>, joining: UndoGrouping, step: AnnotationStep) {
        self.future.clear();

        if joining == UndoGrouping::MergeWithPrevious
            && let Some(last) = self.past.last_mut()
            // The answer itself is the last part; those before it were displaced.
            && last.parts.last().map(|part| &part.slot) == parts.last().map(|part| &part.slot)
            && parts.iter().all(|new| last.find_part(&new.slot).is_some())
        {
            for new in parts {
                if let Some(part) = last.find_part(&new.slot) {
                    part.after = new.after;
                }
            }
            return;
        }

        self.past.push(UndoableAction { parts, step });
        if self.past.len() > MAX_ACTIONS {
            self.past.remove(0);
        }
    }
}

impl AnnotationDraft {
    /// Performs one action on any number of slots. Returns the changes to send, none if nothing is
    /// new.
    pub fn apply_action(
        &mut self,
        answers: impl IntoIterator<Item = (AnnotationSlot, AnnotationAnswer)>,
        joining: UndoGrouping,
        mut new_id: impl FnMut() -> AnnotationId,
    ) -> Vec<AnnotationChange> {
        let (mut parts, mut changes) = (vec![], vec![]);
        for (slot, after) in answers {
            for (slot, after) in self.with_displaced(slot, after) {
                let before = self.answer(&slot);
                if before == after || !self.may_answer(&slot, &after) {
                    continue;
                }
                changes.extend(self.set_answer(slot.clone(), after.clone(), new_id()));
                parts.push(SlotChange {
                    slot,
                    before,
                    after,
                });
            }
        }

        if !parts.is_empty() {
            let step = self.step();
            self.history.remember(parts, joining, step);
        }
        changes
    }

    /// Undoes the last action.
    pub fn undo(&mut self, new_id: impl FnMut() -> AnnotationId) -> Option<UndoEffect> {
        let action = self.history.past.pop()?;
        let to = action
            .parts
            .iter()
            .rev()
            .map(|p| (p.slot.clone(), p.before.clone()))
            .collect();
        let effect = self.restore_answers(to, action.step, new_id);
        self.history.future.push(action);
        effect
    }

    /// Redoes the action that was undone last.
    pub fn redo(&mut self, new_id: impl FnMut() -> AnnotationId) -> Option<UndoEffect> {
        let action = self.history.future.pop()?;
        let to = action
            .parts
            .iter()
            .map(|p| (p.slot.clone(), p.after.clone()))
            .collect();
        let effect = self.restore_answers(to, action.step, new_id);
        self.history.past.push(action);
        effect
    }

    fn restore_answers(
        &mut self,
        answers: Vec<(AnnotationSlot, AnnotationAnswer)>,
        done_in: AnnotationStep,
        mut new_id: impl FnMut() -> AnnotationId,
    ) -> Option<UndoEffect> {
        let slot = &answers.first()?.0;
        let output = slot.output();
        let comparison = self.find_comparison(slot);

        // A later step also shows what belongs to an earlier one. Where the steps are merged, the earlier one says
        // which part of an output it is.
        let step = match self.is_merged() {
            true => slot.step()?,
            false => slot.step()?.max(done_in),
        };

        let mut changes = vec![];
        for (slot, to) in answers {
            // Another tab may have answered since: its answer is taken back where the two exclude each other.
            for (slot, to) in self.with_displaced(slot, to) {
                if self.may_answer(&slot, &to) {
                    changes.extend(self.set_answer(slot, to, new_id()));
                }
            }
        }

        Some(UndoEffect {
            changes,
            step,
            output,
            comparison,
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

    /// The actions that can be undone and redone, to survive a page reload.
    #[must_use]
    pub const fn history(&self) -> &UndoHistory {
        &self.history
    }

    /// Restores a kept history, without slots whose answers changed since.
    pub fn restore_history(&mut self, mut kept: UndoHistory) {
        let mut stale: Vec<AnnotationSlot> = vec![];
        for (slot, final_answer) in kept.final_answers() {
            if self.answer(&slot) != final_answer {
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
    /// The answer that the action left in each of its slots.
    fn final_answers(&self) -> Vec<(AnnotationSlot, AnnotationAnswer)> {
        let mut answers: Vec<(AnnotationSlot, AnnotationAnswer)> = vec![];

        // The next action to redo starts from its `before`.
        let after_done = self
            .past
            .iter()
            .rev()
            .flat_map(|a| a.parts.iter().map(|p| (&p.slot, &p.after)));
        let before_undone = self
            .future
            .iter()
            .rev()
            .flat_map(|a| a.parts.iter().map(|p| (&p.slot, &p.before)));

        for (slot, answer) in after_done.chain(before_undone) {
            if !answers.iter().any(|(known, _)| known == slot) {
                answers.push((slot.clone(), answer.clone()));
            }
        }
        answers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        category::Category,
        work::test_tasks::{counter, output, task},
    };

    #[test]
    fn an_undone_category_is_shown_in_the_step_in_which_it_was_chosen() {
        for (step, expect) in [
            (AnnotationStep::Categorise, AnnotationStep::Categorise),
            (AnnotationStep::Rate, AnnotationStep::Rate),
        ] {
            let mut draft = AnnotationDraft::new(task(2));
            let mut new_id = counter(0);
            let progress = |step| (AnnotationSlot::Progress, AnnotationAnswer::Progress(step));
            let (slot, answer) = progress(step);
            draft.set_answer(slot, answer, new_id());
            let placed = draft.placement_answer(output(1), Category::Deletion);
            draft.apply_action([placed], UndoGrouping::Separate, &mut new_id);
            let (slot, answer) = progress(AnnotationStep::Highlight);
            draft.set_answer(slot, answer, new_id());
            let undone = draft.undo(&mut new_id).expect("an action");
            assert_eq!((undone.step, undone.output), (expect, Some(output(1))));
            let redone = draft.redo(&mut new_id).expect("an action");
            assert_eq!(redone.step, expect);
        }
    }
}
