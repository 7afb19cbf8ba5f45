//! The two sides that are compared: the annotators' records and the rows of the database.

use std::collections::HashMap;

use domain::{
    ids::{AnnotationId, AssignmentId},
    study::AssignmentState,
    work::{
        activity::ActivityReport,
        change::{AnnotationChange, AnnotationStep},
    },
};
use store::EventKind;
use uuid::Uuid;

/// Everything that annotators sent, and which of it a server acknowledged.
#[derive(Debug, Clone, Default)]
pub struct SentHistory {
    /// The changes, those to one slot in the order in which they were made.
    pub changes: Vec<SentChange>,
    /// Sources handed in, reopened and skipped, those of one assignment in order.
    pub decisions: Vec<SentDecision>,
    /// The active times, one report for each batch of changes.
    pub times: Vec<SentTimes>,
    /// A sentence for each answer of a server that no annotator should have got.
    pub refusals: Vec<String>,
}

/// A change that was sent, once or more often.
#[derive(Debug, Clone)]
pub struct SentChange {
    /// The source that it belongs to.
    pub assignment: AssignmentId,
    /// The change.
    pub change: AnnotationChange,
    /// Whether a server said that it is stored.
    pub acknowledged: bool,
}

/// A report of active times that was sent, once or more often.
#[derive(Debug, Clone)]
pub struct SentTimes {
    /// The source that they belong to.
    pub assignment: AssignmentId,
    /// The times of a tab.
    pub report: ActivityReport,
    /// Whether a server said that it took them.
    pub acknowledged: bool,
}

/// A request to hand a source in, to open it again or to skip it.
#[derive(Debug, Clone)]
pub struct SentDecision {
    /// The source.
    pub assignment: AssignmentId,
    /// The state that it leads to.
    pub state: AssignmentState,
    /// Whether a server acknowledged it.
    pub acknowledged: bool,
}

impl SentHistory {
    /// Adds the history of another annotator.
    pub fn merge(&mut self, other: Self) {
        self.changes.extend(other.changes);
        self.decisions.extend(other.decisions);
        self.times.extend(other.times);
        self.refusals.extend(other.refusals);
    }

    /// The ids of the changes that were acknowledged.
    pub fn acknowledged_changes(&self) -> impl Iterator<Item = AnnotationId> {
        let acknowledged = self.changes.iter().filter(|sent| sent.acknowledged);
        acknowledged.map(|sent| sent.change.id)
    }

    /// The number of acknowledged hand-ins.
    #[must_use]
    pub fn count_hand_ins(&self) -> usize {
        let is_hand_in =
            |sent: &&SentDecision| sent.acknowledged && sent.state == AssignmentState::HandedIn;
        self.decisions.iter().filter(is_hand_in).count()
    }
}

/// The rows of a database that concern the annotators' work.
#[derive(Debug, Clone, Default)]
pub struct StoredRows {
    /// The answers, those that were superseded included.
    pub answers: Vec<AnswerRow>,
    /// The state of each assignment.
    pub assignments: HashMap<AssignmentId, AssignmentState>,
    /// The milliseconds of each step in each tab.
    pub times: HashMap<StepKey, u64>,
    /// The events of each study.
    pub events: Vec<StudyEvents>,
    /// Damage that the database itself finds, a sentence for each.
    pub damage: Vec<String>,
}

/// A step in a tab in which a source was open.
pub type StepKey = (AssignmentId, Uuid, AnnotationStep);

/// A stored answer.
#[derive(Debug, Clone)]
pub struct AnswerRow {
    /// The source that it belongs to.
    pub assignment: AssignmentId,
    /// The change that it came with.
    pub change: AnnotationChange,
    /// Whether it is the one that counts.
    pub current: bool,
    /// The short name of its study.
    pub study: String,
    /// The number of its event in the study.
    pub event: i64,
}

/// The events of a study.
#[derive(Debug, Clone)]
pub struct StudyEvents {
    /// The study's short name.
    pub study: String,
    /// The study's counter: the number of its newest event.
    pub counter: i64,
    /// Its events, in the order of their numbers.
    pub events: Vec<EventRow>,
}

/// A stored event.
#[derive(Debug, Clone)]
pub struct EventRow {
    /// Its number in the study.
    pub number: i64,
    /// Its kind.
    pub kind: EventKind,
    /// The id of the row that it is about.
    pub subject: String,
}
