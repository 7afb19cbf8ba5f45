//! The rows that a group of saves adds and changes.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    ids::{AnnotationId, AssignmentId, StudyId},
    work::change::AnnotationChange,
};
use sqlx::AnyConnection;

use super::{activity::NewActivity, stored_change::score_of};
use crate::{
    Result,
    answer_columns::{self, SlotColumns},
    assignments::{AssignmentRecord, renew_lease},
    bulk,
    columns::BindId,
    event::{self, NumberedEvent},
};

/// The rows of a group of saves, collected.
#[derive(Debug, Default)]
pub(super) struct NewRows {
    /// The answers, oldest first.
    pub(super) answers: Vec<NewAnswer>,
    /// The events, by study and in the order of their numbers.
    pub(super) events: BTreeMap<StudyId, Vec<NumberedEvent>>,
    /// The new ends of leases, in milliseconds since 1970.
    pub(super) leases: BTreeMap<AssignmentId, i64>,
    pub(super) activity: NewActivity,
}

/// A new answer.
#[derive(Debug)]
pub(super) struct NewAnswer {
    pub(super) change: AnnotationChange,
    /// The answer that it supersedes.
    pub(super) before: Option<AnnotationId>,
    pub(super) of: AssignmentRecord,
    /// The scale of a rating's dimension; `None` for other answers.
    pub(super) scale: Option<String>,
    /// The number of the event that announces it.
    pub(super) event: i64,
    pub(super) now_ms: i64,
}

impl NewRows {
    /// Stores all rows. The studies must be held.
    pub(super) async fn store(&self, tx: &mut AnyConnection) -> Result<()> {
        let superseded: BTreeSet<_> = self.answers.iter().filter_map(|new| new.before).collect();
        let superseding = "UPDATE stored_annotation SET current = 0 WHERE id IN ";
        bulk::execute_for(tx, superseding, &self.stored_before(&superseded)).await?;

        for (study, events) in &self.events {
            event::record_numbered(tx, *study, events).await?;
        }
        self.insert_answers(tx, &superseded).await?;

        for (assignment, until_ms) in &self.leases {
            renew_lease(tx, *assignment, *until_ms).await?;
        }
        self.activity.store(tx).await
    }

    /// The ids of answers that are stored already, so not among this group's.
    fn stored_before(&self, ids: &BTreeSet<AnnotationId>) -> Vec<AnnotationId> {
        let own: BTreeSet<_> = self.answers.iter().map(|new| new.change.id).collect();
        ids.difference(&own).copied().collect()
    }

    async fn insert_answers(
        &self,
        tx: &mut AnyConnection,
        superseded: &BTreeSet<AnnotationId>,
    ) -> Result<()> {
        bulk::insert(
            tx,
            "stored_annotation (id, study_id, source_id, output_id, rater_id, assignment_id, kind, dimension,
             compared, value, scale, body, supersedes, current, event, recorded_at)",
            &self.answers,
            |query, answer| {
                let NewAnswer { change, of, .. } = answer;
                let slot = SlotColumns::new(&change.slot);
                let is_current = !superseded.contains(&change.id);

                query
                    .bind_id(change.id)
                    .bind_id(of.study)
                    .bind_id(of.source)
                    .bind_id(slot.output)
                    .bind_id(of.rater)
                    .bind_id(of.assignment)
                    .bind(slot.kind)
                    .bind(slot.dimension.into_owned())
                    .bind(slot.compared)
                    // Bound as an integer even where it is absent: see `bulk`.
                    .bind(score_of(change).map(i64::from))
                    .bind(answer.scale.clone())
                    .bind(answer_columns::body(&change.answer))
                    .bind_id(answer.before)
                    .bind(i32::from(is_current))
                    .bind(answer.event)
                    .bind(answer.now_ms)
            },
        )
        .await
    }
}
