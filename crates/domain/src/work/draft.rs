//! A source in work: the task as given, the answers since, and what is still on its way.

use std::collections::BTreeMap;

use crate::{
    category::Category,
    edit::Edit,
    ids::{AnnotationId, OutputId},
    score::Score,
    study::{AssignmentState, Dimension},
    work::{
        change::{Answer, Change, Outcome, Slot, Step, Stored},
        history::History,
        order,
        task::{Item, Task},
    },
};

/// What the annotator sees of one source, with every answer that is current in this browser.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    task: Task,
    current: BTreeMap<Slot, Current>,
    conflicts: BTreeMap<Slot, Conflict>,
    pub(super) history: History,
}

/// The answer to a slot, as this browser knows it.
#[derive(Debug, Clone, PartialEq)]
struct Current {
    id: AnnotationId,
    answer: Answer,
    /// Answers given here, the current one last, that the server has not confirmed.
    unsaved: Vec<AnnotationId>,
}

/// Two answers to one slot: the annotator chooses.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    /// What was answered here.
    pub mine: Answer,
    /// What is stored, `None` where nothing is.
    pub theirs: Option<Stored>,
    /// The answers here that `mine` stands for.
    ids: Vec<AnnotationId>,
}

impl Draft {
    /// The work as the server knows it.
    #[must_use]
    pub fn new(mut task: Task) -> Self {
        let current = std::mem::take(&mut task.answers)
            .into_iter()
            .map(|Stored { id, slot, answer }| {
                (
                    slot,
                    Current {
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
            history: History::default(),
        }
    }

    /// The task, without its answers.
    #[must_use]
    pub const fn task(&self) -> &Task {
        &self.task
    }

    /// Whether answers are taken.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self.task.state, AssignmentState::Open)
    }

    /// The output `output` stands for.
    #[must_use]
    pub fn item(&self, output: OutputId) -> Option<&Item> {
        self.task.items.iter().find(|item| item.output == output)
    }

    /// The answer to `slot`; an empty one where there is none.
    #[must_use]
    pub fn answer(&self, slot: &Slot) -> Answer {
        self.current
            .get(slot)
            .map_or_else(|| slot.unanswered(), |c| c.answer.clone())
    }

    /// Gives an answer: nothing where it is the current one already.
    ///
    /// The annotator's actions go through [`Draft::act`], which remembers them for undo.
    pub fn give(&mut self, slot: Slot, answer: Answer, id: AnnotationId) -> Option<Change> {
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
            Current {
                id,
                answer: answer.clone(),
                unsaved,
            },
        );
        Some(Change {
            id,
            supersedes,
            slot,
            answer,
        })
    }

    /// Puts answers that this browser still had to send on top of the task, in their order.
    ///
    /// A slot whose stored answer is neither what they supersede nor one of them is a conflict.
    pub fn replay(&mut self, queued: impl IntoIterator<Item = Change>) {
        let mut chains: BTreeMap<Slot, Vec<Change>> = BTreeMap::new();
        for change in queued {
            chains.entry(change.slot.clone()).or_default().push(change);
        }
        for (slot, chain) in chains {
            self.replay_chain(slot, chain);
        }
    }

    fn replay_chain(&mut self, slot: Slot, chain: Vec<Change>) {
        let stored = self.current.get(&slot).map(|c| c.id);
        let attaches = match chain.iter().position(|c| Some(c.id) == stored) {
            Some(at) if at + 1 == chain.len() => return,
            Some(_) => true,
            None => chain.first().is_some_and(|c| c.supersedes == stored),
        };
        let ids = chain.iter().map(|c| c.id).collect();
        let Some(Change { id, answer, .. }) = chain.into_iter().next_back() else {
            return;
        };
        if attaches {
            self.current.insert(
                slot,
                Current {
                    id,
                    answer,
                    unsaved: ids,
                },
            );
        } else {
            self.clash(slot, answer, ids);
        }
    }

    /// Takes in what another tab of this browser answered.
    pub fn adopt(&mut self, change: &Change) {
        let known = self.current.get(&change.slot);
        if known.is_some_and(|c| c.id == change.id) {
            return;
        }
        let mut unsaved = known.map(|c| c.unsaved.clone()).unwrap_or_default();
        unsaved.push(change.id);
        self.history.forget(&change.slot);
        self.conflicts.remove(&change.slot);
        let Change {
            id, slot, answer, ..
        } = change.clone();
        self.current.insert(
            slot,
            Current {
                id,
                answer,
                unsaved,
            },
        );
    }

    /// Takes in what the server made of `change`.
    pub fn settle(&mut self, change: &Change, outcome: &Outcome) {
        match outcome {
            Outcome::Saved { .. } => self.confirm(change),
            Outcome::Refused { .. } => {}
            Outcome::Conflict { current, .. } => self.supersede(change, current.clone()),
        }
    }

    fn confirm(&mut self, change: &Change) {
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
            // All of mine was stored once, and superseded elsewhere afterwards: nothing to choose.
            if conflict.ids.is_empty() {
                self.conflicts.remove(&change.slot);
            }
        }
    }

    fn supersede(&mut self, change: &Change, stored: Option<Stored>) {
        if let Some(conflict) = self.conflicts.get_mut(&change.slot)
            && conflict.ids.contains(&change.id)
        {
            conflict.theirs.clone_from(&stored);
            self.put_stored(&change.slot, stored);
            return;
        }
        // What the server did not take may already be forgotten here: then it is nobody's answer.
        let Some(mine) = self.current.get(&change.slot) else {
            return;
        };
        if !mine.unsaved.contains(&change.id) {
            return;
        }
        let (answer, ids) = (mine.answer.clone(), mine.unsaved.clone());
        self.put_stored(&change.slot, stored);
        self.clash(change.slot.clone(), answer, ids);
    }

    fn put_stored(&mut self, slot: &Slot, stored: Option<Stored>) {
        self.history.forget(slot);
        match stored {
            Some(Stored { id, answer, .. }) => {
                self.current.insert(
                    slot.clone(),
                    Current {
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

    /// `mine` against what is current: a conflict unless they agree, or it is only about where one is.
    fn clash(&mut self, slot: Slot, mine: Answer, ids: Vec<AnnotationId>) {
        if self.answer(&slot) == mine {
            return;
        }
        if slot == Slot::Progress {
            if let Some(current) = self.current.get_mut(&slot) {
                current.answer = mine;
            }
            return;
        }
        let theirs = self.current.get(&slot).map(|c| Stored {
            id: c.id,
            slot: slot.clone(),
            answer: c.answer.clone(),
        });
        self.conflicts.insert(slot, Conflict { mine, theirs, ids });
    }

    /// Where an answer given here and the stored one differ; the stored one is shown meanwhile.
    #[must_use]
    pub const fn conflicts(&self) -> &BTreeMap<Slot, Conflict> {
        &self.conflicts
    }

    /// Ends a conflict with the answer given here.
    pub fn keep_mine(&mut self, slot: &Slot, id: AnnotationId) -> Option<Change> {
        let conflict = self.conflicts.remove(slot)?;
        self.give(slot.clone(), conflict.mine, id)
    }

    /// Ends a conflict with the stored answer.
    pub fn take_theirs(&mut self, slot: &Slot) {
        self.conflicts.remove(slot);
    }

    /// How many answers the server has not confirmed.
    #[must_use]
    pub fn unsaved(&self) -> usize {
        self.current.values().map(|c| c.unsaved.len()).sum()
    }

    /// The group of an output, and whether the annotator put it there.
    #[must_use]
    pub fn category(&self, output: OutputId) -> Placement {
        let automatic = self
            .item(output)
            .map_or(Category::Paraphrase, |item| item.category);
        match self.answer(&Slot::Category { output }) {
            Answer::Category(Some(chosen)) => Placement {
                category: chosen,
                moved: true,
                automatic,
            },
            _ => Placement {
                category: automatic,
                moved: false,
                automatic,
            },
        }
    }

    /// The answer that puts an output in `category`: none of one's own where the automatic group is
    /// the same.
    #[must_use]
    pub fn placed(&self, output: OutputId, category: Category) -> (Slot, Answer) {
        let own = (self.category(output).automatic != category).then_some(category);
        (Slot::Category { output }, Answer::Category(own))
    }

    /// The edits of an output: the annotator's where there are any, else the automatic ones.
    #[must_use]
    pub fn edits(&self, output: OutputId) -> Vec<Edit> {
        match self.answer(&Slot::Edits { output }) {
            Answer::Edits(Some(edits)) => edits,
            _ => self
                .item(output)
                .map(|item| item.edits.clone())
                .unwrap_or_default(),
        }
    }

    /// Whether the annotator corrected the edits of an output.
    #[must_use]
    pub fn edits_corrected(&self, output: OutputId) -> bool {
        matches!(self.answer(&Slot::Edits { output }), Answer::Edits(Some(_)))
    }

    /// The score of an output, `None` until one is given.
    #[must_use]
    pub fn rating(&self, output: OutputId, dimension: &str) -> Option<Score> {
        let slot = Slot::Rating {
            output,
            dimension: dimension.to_owned(),
        };
        match self.answer(&slot) {
            Answer::Rating(score) => score,
            _ => None,
        }
    }

    /// The score on the dimension that ranks.
    #[must_use]
    pub fn ranking_score(&self, output: OutputId) -> Option<Score> {
        self.rating(output, &self.ranking().name)
    }

    /// The dimension that ranks: the first.
    #[must_use]
    pub fn ranking(&self) -> Dimension {
        self.task.dimensions.first().cloned().unwrap_or_default()
    }

    /// The remark on an output, empty for none.
    #[must_use]
    pub fn note(&self, output: OutputId) -> String {
        match self.answer(&Slot::Note { output }) {
            Answer::Note(text) => text,
            _ => String::new(),
        }
    }

    /// The step in work.
    #[must_use]
    pub fn step(&self) -> Step {
        match self.answer(&Slot::Progress) {
            Answer::Progress(step) => step,
            _ => Step::default(),
        }
    }

    /// All outputs, best first where the annotator ordered them, else as first shown.
    #[must_use]
    pub fn order(&self) -> Vec<OutputId> {
        let shown: Vec<OutputId> = self.task.items.iter().map(|item| item.output).collect();
        match self.answer(&Slot::Order) {
            Answer::Order(Some(order)) => order::complete(&order, &shown),
            _ => shown,
        }
    }

    /// The outputs of one group, in order.
    #[must_use]
    pub fn group(&self, category: Category) -> Vec<OutputId> {
        let mut order = self.order();
        order.retain(|output| self.category(*output).category == category);
        order
    }

    /// The answer that puts the outputs of one group in the order `group`.
    #[must_use]
    pub fn ordered(&self, group: &[OutputId]) -> (Slot, Answer) {
        (
            Slot::Order,
            Answer::Order(Some(order::within(&self.order(), group))),
        )
    }
}

/// Where an output stands in step 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// Its group.
    pub category: Category,
    /// Whether the annotator put it there.
    pub moved: bool,
    /// The automatic group.
    pub automatic: Category,
}

impl Slot {
    /// What stands for no answer.
    #[must_use]
    pub const fn unanswered(&self) -> Answer {
        match self {
            Self::Category { .. } => Answer::Category(None),
            Self::Edits { .. } => Answer::Edits(None),
            Self::Rating { .. } => Answer::Rating(None),
            Self::Note { .. } => Answer::Note(String::new()),
            Self::Order => Answer::Order(None),
            Self::Progress => Answer::Progress(Step::Categorise),
        }
    }

    /// The step in which it is answered.
    #[must_use]
    pub const fn step(&self) -> Option<Step> {
        match self {
            Self::Category { .. } => Some(Step::Categorise),
            Self::Edits { .. } => Some(Step::Highlight),
            Self::Rating { .. } | Self::Note { .. } | Self::Order => Some(Step::Rate),
            Self::Progress => None,
        }
    }

    /// The output it is about, where it is about one.
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
