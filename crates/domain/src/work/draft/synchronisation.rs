//! Answers from the queue, other tabs and the server, and conflicts among them.

use std::collections::BTreeMap;

use super::{AnnotationDraft, CurrentAnswer};
use crate::{
    ids::AnnotationId,
    work::change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, SaveOutcome, StoredAnswer},
};

/// Two answers to one slot, between which the annotator chooses.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerConflict {
    /// The answer given here.
    pub mine: AnnotationAnswer,
    /// The stored answer; `None` if there is none.
    pub theirs: Option<StoredAnswer>,
    /// The answers given here that `mine` includes.
    ids: Vec<AnnotationId>,
}

impl AnnotationDraft {
    /// Applies answers that this browser has not sent yet to the task, in their order.
    ///
    /// A slot whose stored answer is neither what they supersede nor one of them is a conflict.
    pub fn replay(&mut self, queued: impl IntoIterator<Item = AnnotationChange>) {
        let mut chains: BTreeMap<AnnotationSlot, Vec<AnnotationChange>> = BTreeMap::new();
        for change in queued {
            chains.entry(change.slot.clone()).or_default().push(change);
        }
        for (slot, chain) in chains {
            self.replay_chain(slot, chain);
        }
    }

    fn replay_chain(&mut self, slot: AnnotationSlot, chain: Vec<AnnotationChange>) {
        let stored = self.current.get(&slot).map(|c| c.id);
        let attaches = match chain.iter().position(|c| Some(c.id) == stored) {
            Some(at) if at + 1 == chain.len() => return,
            Some(_) => true,
            None => chain.first().is_some_and(|c| c.supersedes == stored),
        };

        let ids = chain.iter().map(|c| c.id).collect();
        let Some(AnnotationChange { id, answer, .. }) = chain.into_iter().next_back() else {
            return;
        };

        if attaches {
            self.current.insert(
                slot,
                CurrentAnswer {
                    id,
                    answer,
                    unsaved: ids,
                },
            );
        } else {
            self.record_conflict(slot, answer, ids);
        }
    }

    /// Applies an answer from another tab of this browser.
    pub fn merge_from_tab(&mut self, change: &AnnotationChange) {
        let slot_answers = self.current.get(&change.slot);
        if slot_answers.is_some_and(|c| c.id == change.id) {
            return;
        }

        let mut unsaved = slot_answers.map(|c| c.unsaved.clone()).unwrap_or_default();
        unsaved.push(change.id);

        self.history.forget(&change.slot);
        self.conflicts.remove(&change.slot);
        let AnnotationChange {
            id, slot, answer, ..
        } = change.clone();
        self.current.insert(
            slot,
            CurrentAnswer {
                id,
                answer,
                unsaved,
            },
        );
    }

    /// Applies the server's response to a change.
    pub fn apply_outcome(&mut self, change: &AnnotationChange, outcome: &SaveOutcome) {
        match outcome {
            SaveOutcome::Saved { .. } => self.confirm(change),
            SaveOutcome::Refused { .. } => {}
            SaveOutcome::Conflict { current, .. } => self.supersede(change, current.clone()),
        }
    }

    fn confirm(&mut self, change: &AnnotationChange) {
        if let Some(current) = self.current.get_mut(&change.slot) {
            drop_through(&mut current.unsaved, change.id);
        }
        if let Some(conflict) = self.conflicts.get_mut(&change.slot) {
            drop_through(&mut conflict.ids, change.id);
            // All answers given here were stored and superseded elsewhere afterwards, so nothing is in conflict.
            if conflict.ids.is_empty() {
                self.conflicts.remove(&change.slot);
            }
        }
    }

    fn supersede(&mut self, change: &AnnotationChange, stored: Option<StoredAnswer>) {
        if let Some(conflict) = self.conflicts.get_mut(&change.slot)
            && conflict.ids.contains(&change.id)
        {
            conflict.theirs.clone_from(&stored);
            self.put_stored(&change.slot, stored);
            return;
        }
        // The rejected answer may already have been superseded here; then there is nothing to show.
        let Some(mine) = self.current.get(&change.slot) else {
            return;
        };
        if !mine.unsaved.contains(&change.id) {
            return;
        }

        let (answer, ids) = (mine.answer.clone(), mine.unsaved.clone());
        self.put_stored(&change.slot, stored);
        self.record_conflict(change.slot.clone(), answer, ids);
    }

    fn put_stored(&mut self, slot: &AnnotationSlot, stored: Option<StoredAnswer>) {
        self.history.forget(slot);
        match stored {
            Some(StoredAnswer { id, answer, .. }) => {
                self.current.insert(
                    slot.clone(),
                    CurrentAnswer {
                        id,
                        answer,
                        unsaved: vec![],
                    },
                );
            }
            None => {
                self.current.remove(slot);
            }
        }
    }

    /// Compares `mine` with the current answer: a conflict unless they agree, or only the current step
    /// differs.
    fn record_conflict(
        &mut self,
        slot: AnnotationSlot,
        mine: AnnotationAnswer,
        ids: Vec<AnnotationId>,
    ) {
        if self.answer(&slot) == mine {
            return;
        }
        if slot == AnnotationSlot::Progress {
            if let Some(current) = self.current.get_mut(&slot) {
                current.answer = mine;
            }
            return;
        }

        let theirs = self.current.get(&slot).map(|c| StoredAnswer {
            id: c.id,
            slot: slot.clone(),
            answer: c.answer.clone(),
        });
        self.conflicts
            .insert(slot, AnswerConflict { mine, theirs, ids });
    }

    /// The slots in which an answer given here differs from the stored one, which is shown meanwhile.
    #[must_use]
    pub const fn conflicts(&self) -> &BTreeMap<AnnotationSlot, AnswerConflict> {
        &self.conflicts
    }

    /// Resolves a conflict in favour of the answer given here. Returns the changes to send.
    pub fn keep_mine(
        &mut self,
        slot: &AnnotationSlot,
        mut new_id: impl FnMut() -> AnnotationId,
    ) -> Vec<AnnotationChange> {
        let Some(conflict) = self.conflicts.remove(slot) else {
            return vec![];
        };
        let mut changes = vec![];
        for (slot, answer) in self.with_displaced(slot.clone(), conflict.mine) {
            changes.extend(self.set_answer(slot, answer, new_id()));
        }
        changes
    }

    /// Resolves a conflict in favour of the stored answer.
    pub fn take_theirs(&mut self, slot: &AnnotationSlot) {
        self.conflicts.remove(slot);
    }
}

/// Removes the ids up to `last`, if it is among them.
fn drop_through(ids: &mut Vec<AnnotationId>, last: AnnotationId) {
    if let Some(at) = ids.iter().position(|id| *id == last) {
        ids.drain(..=at);
    }
}
