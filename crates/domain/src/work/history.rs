//! Undo and redo over all three steps. Taking back is itself a new answer that supersedes.

use serde::{Deserialize, Serialize};

use crate::{
    ids::{AnnotationId, OutputId},
    work::{
        change::{Answer, Change, Slot, Step},
        draft::Draft,
    },
};

/// What the annotator did in this tab, as far as it can be taken back or done again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    past: Vec<Action>,
    future: Vec<Action>,
}

/// One action of the annotator, over one slot or several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Action {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Part {
    slot: Slot,
    before: Answer,
    after: Answer,
}

/// How an action stands to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joining {
    /// It is taken back on its own.
    Apart,
    /// It goes on with the one before, where that was about the same slots: the arrow keys on a
    /// slider are one action.
    Onward,
}

/// What undo or redo changed, and where that can be seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Returned {
    /// To be sent.
    pub changes: Vec<Change>,
    /// The step to show.
    pub step: Step,
    /// The output to show, where it is about one.
    pub output: Option<OutputId>,
}

/// More actions than a person will take back; the oldest are forgotten.
const KEPT: usize = 500;

impl History {
    /// Forgets what was done to a slot whose answer came from elsewhere: undo only takes back what
    /// was done here.
    pub(super) fn forget(&mut self, slot: &Slot) {
        for actions in [&mut self.past, &mut self.future] {
            for action in actions.iter_mut() {
                action.parts.retain(|part| part.slot != *slot);
            }
            actions.retain(|action| !action.parts.is_empty());
        }
    }

    fn remember(&mut self, parts: Vec<Part>, joining: Joining) {
        self.future.clear();
        if joining == Joining::Onward
            && let Some(last) = self.past.last_mut()
            && last.parts.len() == parts.len()
            && last.parts.iter().zip(&parts).all(|(a, b)| a.slot == b.slot)
        {
            for (part, new) in last.parts.iter_mut().zip(parts) {
                part.after = new.after;
            }
            return;
        }
        self.past.push(Action { parts });
        if self.past.len() > KEPT {
            self.past.remove(0);
        }
    }
}

impl Draft {
    /// Does what the annotator did: one action, however many slots. Gives the changes to send, none
    /// where nothing is new.
    pub fn act(
        &mut self,
        answers: impl IntoIterator<Item = (Slot, Answer)>,
        joining: Joining,
        mut new_id: impl FnMut() -> AnnotationId,
    ) -> Vec<Change> {
        let (mut parts, mut changes) = (vec![], vec![]);
        for (slot, after) in answers {
            let before = self.answer(&slot);
            if before == after {
                continue;
            }
            changes.extend(self.give(slot.clone(), after.clone(), new_id()));
            parts.push(Part {
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
    pub fn undo(&mut self, new_id: impl FnMut() -> AnnotationId) -> Option<Returned> {
        let action = self.history.past.pop()?;
        let to = action
            .parts
            .iter()
            .rev()
            .map(|p| (p.slot.clone(), p.before.clone()))
            .collect();
        let returned = self.return_to(to, new_id);
        self.history.future.push(action);
        returned
    }

    /// Does the action again that was taken back last.
    pub fn redo(&mut self, new_id: impl FnMut() -> AnnotationId) -> Option<Returned> {
        let action = self.history.future.pop()?;
        let to = action
            .parts
            .iter()
            .map(|p| (p.slot.clone(), p.after.clone()))
            .collect();
        let returned = self.return_to(to, new_id);
        self.history.past.push(action);
        returned
    }

    fn return_to(
        &mut self,
        answers: Vec<(Slot, Answer)>,
        mut new_id: impl FnMut() -> AnnotationId,
    ) -> Option<Returned> {
        let slot = &answers.first()?.0;
        let (step, output) = (slot.step()?, slot.output());
        let changes = answers
            .into_iter()
            .filter_map(|(slot, to)| self.give(slot, to, new_id()))
            .collect();
        Some(Returned {
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
    pub const fn history(&self) -> &History {
        &self.history
    }

    /// Takes a kept history up again, as far as the answers are still those that it left.
    pub fn resume_history(&mut self, mut kept: History) {
        let mut stale: Vec<Slot> = vec![];
        for (slot, left) in kept.left() {
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

impl History {
    /// What each slot it is about was left at.
    fn left(&self) -> Vec<(Slot, Answer)> {
        let mut left: Vec<(Slot, Answer)> = vec![];
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
