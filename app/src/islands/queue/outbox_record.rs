//! A change as the browser's outbox stores it.

use domain::{
    ids::{AssignmentId, PersonId, StudyId},
    work::change::AnnotationChange,
};
use serde::{Deserialize, Serialize};

use crate::json::{from_json, to_json};

/// The version of the record format; records of other versions are left to the page that wrote them.
const VERSION: u32 = 1;

/// A change that the server has not accepted yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct OutboxRecord {
    v: u32,
    /// The person who made the change.
    pub(super) person: PersonId,
    pub(super) study: StudyId,
    pub(super) assignment: AssignmentId,
    pub(super) change: AnnotationChange,
    /// The outcome so far.
    pub(super) state: OutboxRecordState,
}

/// The state of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum OutboxRecordState {
    /// The change is waiting to be sent.
    Waiting,
    /// The server has a newer answer, so the annotator has to choose.
    Conflict,
    /// The server refused the change, with a reason.
    Refused(String),
}

impl OutboxRecord {
    pub(super) const fn new(
        person: PersonId,
        study: StudyId,
        assignment: AssignmentId,
        change: AnnotationChange,
    ) -> Self {
        Self {
            v: VERSION,
            person,
            study,
            assignment,
            change,
            state: OutboxRecordState::Waiting,
        }
    }

    /// Parses a record, unless another version of the page wrote it.
    pub(super) fn parse(text: &str) -> Option<Self> {
        from_json::<Self>(text)
            .ok()
            .filter(|record| record.v == VERSION)
    }

    pub(super) fn to_json(&self) -> String {
        to_json(self)
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        ids::AnnotationId,
        work::change::{AnnotationAnswer, AnnotationSlot, AnnotationStep},
    };
    use uuid::Uuid;

    use super::*;

    fn record() -> OutboxRecord {
        let change = AnnotationChange {
            id: AnnotationId(Uuid::nil()),
            supersedes: None,
            slot: AnnotationSlot::Progress,
            answer: AnnotationAnswer::Progress(AnnotationStep::Rate),
        };
        let (person, study) = (PersonId(Uuid::nil()), StudyId(Uuid::nil()));
        OutboxRecord::new(person, study, AssignmentId(Uuid::nil()), change)
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let text = record().to_json();
        assert_eq!(OutboxRecord::parse(&text), Some(record()));
    }

    #[test]
    fn a_record_of_another_version_is_left_alone() {
        let text = record().to_json().replacen("\"v\":1", "\"v\":2", 1);
        assert_eq!(OutboxRecord::parse(&text), None);
        assert_eq!(OutboxRecord::parse("{}"), None);
    }
}
