//! A source in progress: the task as assigned, the answers since, and those not yet confirmed.

use std::collections::BTreeMap;

use crate::{
    category::Category,
    edit::Edit,
    ids::{AnnotationId, OutputId},
    score::RatingScore,
    study::{AssignmentState, Dimension},
    work::{
        change::{
            AnnotationAnswer, AnnotationChange, AnnotationSlot, AnnotationStep, SaveOutcome,
            StoredAnswer,
        },
        history::UndoHistory,
        order,
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
    /// The annotator's actions go through [`AnnotationDraft::act`], which remembers them for undo.
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
        let upto = |ids: &mut Vec<AnnotationId>| {
            if let Some(at) = ids.iter().position(|id| *id == change.id) {
                ids.drain(..=at);
            }
        };
        if let Some(current) = self.current.get_mut(&change.slot) {
            upto(&mut current.unsaved);
        }
        if let Some(conflict) = self.conflicts.get_mut(&change.slot) {
            upto(&mut conflict.ids);
            // All answers given here were stored, and superseded elsewhere afterwards: there is no
            // conflict.
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

    /// Resolves a conflict in favour of the answer given here.
    pub fn keep_mine(
        &mut self,
        slot: &AnnotationSlot,
        id: AnnotationId,
    ) -> Option<AnnotationChange> {
        let conflict = self.conflicts.remove(slot)?;
        self.set_answer(slot.clone(), conflict.mine, id)
    }

    /// Resolves a conflict in favour of the stored answer.
    pub fn take_theirs(&mut self, slot: &AnnotationSlot) {
        self.conflicts.remove(slot);
    }

    /// The number of answers that the server has not confirmed.
    #[cfg(test)]
    pub(super) fn unsaved_count(&self) -> usize {
        self.current.values().map(|c| c.unsaved.len()).sum()
    }

    /// The category of an output, and whether the annotator chose it.
    #[must_use]
    pub fn placement(&self, output: OutputId) -> CategoryPlacement {
        let automatic = self
            .item(output)
            .map_or(Category::Paraphrase, |item| item.category);
        match self.answer(&AnnotationSlot::Category { output }) {
            AnnotationAnswer::Category(Some(chosen)) => CategoryPlacement {
                category: chosen,
                moved: true,
                automatic,
            },
            _ => CategoryPlacement {
                category: automatic,
                moved: false,
                automatic,
            },
        }
    }

    /// The answer that puts an output in `category`: an empty one if that is the automatic
    /// category.
    #[must_use]
    pub fn placement_answer(
        &self,
        output: OutputId,
        category: Category,
    ) -> (AnnotationSlot, AnnotationAnswer) {
        let own = (self.placement(output).automatic != category).then_some(category);
        (
            AnnotationSlot::Category { output },
            AnnotationAnswer::Category(own),
        )
    }

    /// The edits of an output: the annotator's if there are any, otherwise the automatic ones.
    #[must_use]
    pub fn edits(&self, output: OutputId) -> Vec<Edit> {
        match self.answer(&AnnotationSlot::Edits { output }) {
            AnnotationAnswer::Edits(Some(edits)) => edits,
            _ => self
                .item(output)
                .map(|item| item.edits.clone())
                .unwrap_or_default(),
        }
    }

    /// Whether the annotator corrected the edits of an output.
    #[must_use]
    pub fn edits_corrected(&self, output: OutputId) -> bool {
        matches!(
            self.answer(&AnnotationSlot::Edits { output }),
            AnnotationAnswer::Edits(Some(_))
        )
    }

    /// The score of an output, `None` until one is given.
    #[must_use]
    pub fn rating(&self, output: OutputId, dimension: &str) -> Option<RatingScore> {
        let slot = AnnotationSlot::Rating {
            output,
            dimension: dimension.to_owned(),
        };
        match self.answer(&slot) {
            AnnotationAnswer::Rating(score) => score,
            _ => None,
        }
    }

    /// The score on the ranking dimension.
    #[must_use]
    pub fn ranking_score(&self, output: OutputId) -> Option<RatingScore> {
        self.rating(output, &self.ranking().name)
    }

    /// The ranking dimension: the first.
    #[must_use]
    pub fn ranking(&self) -> Dimension {
        self.task.dimensions.first().cloned().unwrap_or_default()
    }

    /// The remark on an output; empty if there is none.
    #[must_use]
    pub fn note(&self, output: OutputId) -> String {
        match self.answer(&AnnotationSlot::Note { output }) {
            AnnotationAnswer::Note(text) => text,
            _ => String::new(),
        }
    }

    /// The current step.
    #[must_use]
    pub fn step(&self) -> AnnotationStep {
        match self.answer(&AnnotationSlot::Progress) {
            AnnotationAnswer::Progress(step) => step,
            _ => AnnotationStep::default(),
        }
    }

    /// All outputs, best first if the annotator ordered them, otherwise as first shown.
    #[must_use]
    pub fn order(&self) -> Vec<OutputId> {
        let shown: Vec<OutputId> = self.task.items.iter().map(|item| item.output).collect();
        match self.answer(&AnnotationSlot::Order) {
            AnnotationAnswer::Order(Some(order)) => order::complete_order(&order, &shown),
            _ => shown,
        }
    }

    /// The outputs of one group, in order.
    #[must_use]
    pub fn outputs_in(&self, category: Category) -> Vec<OutputId> {
        let mut order = self.order();
        order.retain(|output| self.placement(*output).category == category);
        order
    }

    /// The answer that puts the outputs of one group in the order `group`.
    #[must_use]
    pub fn order_answer(&self, group: &[OutputId]) -> (AnnotationSlot, AnnotationAnswer) {
        (
            AnnotationSlot::Order,
            AnnotationAnswer::Order(Some(order::merge_order(&self.order(), group))),
        )
    }
}

/// The state of an output in step 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CategoryPlacement {
    /// Its category.
    pub category: Category,
    /// Whether the annotator chose it.
    pub moved: bool,
    /// The automatic category.
    pub automatic: Category,
}

impl AnnotationSlot {
    /// The empty answer to a slot.
    #[must_use]
    pub const fn unanswered(&self) -> AnnotationAnswer {
        match self {
            Self::Category { .. } => AnnotationAnswer::Category(None),
            Self::Edits { .. } => AnnotationAnswer::Edits(None),
            Self::Rating { .. } => AnnotationAnswer::Rating(None),
            Self::Note { .. } => AnnotationAnswer::Note(String::new()),
            Self::Order => AnnotationAnswer::Order(None),
            Self::Progress => AnnotationAnswer::Progress(AnnotationStep::Categorise),
        }
    }

    /// The step in which it is answered.
    #[must_use]
    pub const fn step(&self) -> Option<AnnotationStep> {
        match self {
            Self::Category { .. } => Some(AnnotationStep::Categorise),
            Self::Edits { .. } => Some(AnnotationStep::Highlight),
            Self::Rating { .. } | Self::Note { .. } | Self::Order => Some(AnnotationStep::Rate),
            Self::Progress => None,
        }
    }

    /// The output that it concerns, if any.
    #[must_use]
    pub const fn output(&self) -> Option<OutputId> {
        match self {
            Self::Category { output }
            | Self::Edits { output }
            | Self::Rating { output, .. }
            | Self::Note { output } => Some(*output),
            Self::Order | Self::Progress => None,
        }
    }
}
