//! Assignments: sources are given to annotators one at a time, on a lease, never twice to the same
//! annotator and never to more annotators than the study asks for.

mod attention;
mod choice;
mod crowd_limit;
mod crowd_room;
pub(crate) mod list;
pub(crate) mod manual_assignment;
mod next_assignment;
mod source_candidates;
mod upcoming_work;

use std::collections::BTreeMap;

use domain::{
    ids::{AssignmentId, PersonId, RaterId, SourceId, StudyId},
    study::AssignmentState,
};
use sqlx::AnyConnection;

pub(crate) use self::{crowd_room::count_crowd_room, upcoming_work::choose_upcoming_assignment};
pub use self::{
    list::{AssignmentCounts, AssignmentEntry, AssignmentFilter, AssignmentProgress},
    next_assignment::NextAssignment,
    upcoming_work::{PurposeProgress, UpcomingAssignment, UpcomingWork},
};
use crate::{
    EventKind, Result, Store, bulk,
    columns::{BindId, read_rows},
    event, places,
};

/// The reason stored with an assignment whose lease ran out when another annotator needed its place.
/// Its annotator may get the source again.
const LEASE: &str = "lease";

/// A source to give to an annotator.
#[derive(Debug, Clone, Copy)]
pub struct NewAssignment {
    /// Its id, if it turns out to be a new one.
    pub id: AssignmentId,
    /// The annotator's id as a rater, if they aren't one yet.
    pub rater: RaterId,
    /// The seed that shuffles the outputs.
    pub seed: i64,
    /// The server's clock, milliseconds since 1970.
    pub now_ms: i64,
}

/// An assignment with its study, source and rater.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AssignmentRecord {
    /// The assignment.
    pub assignment: AssignmentId,
    /// Its study.
    pub study: StudyId,
    /// Its source.
    pub source: SourceId,
    /// Its rater.
    pub rater: RaterId,
    /// The rater's person, if known.
    pub person: Option<PersonId>,
    /// Its state.
    pub state: AssignmentState,
}

impl Store {
    /// The assignment's study, source and rater, for callers that check rights; `None` if there is
    /// no such assignment.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn assignment(&self, assignment: AssignmentId) -> Result<Option<AssignmentRecord>> {
        let mut reader = self.reader().acquire().await?;
        load_assignment(&mut reader, assignment).await
    }
}

/// An assignment's record.
pub(crate) async fn load_assignment(
    tx: &mut AnyConnection,
    assignment: AssignmentId,
) -> Result<Option<AssignmentRecord>> {
    Ok(load_assignments(tx, &[assignment]).await?.pop())
}

/// The records of the assignments that exist.
pub(crate) async fn load_assignments(
    tx: &mut AnyConnection,
    assignments: &[AssignmentId],
) -> Result<Vec<AssignmentRecord>> {
    // Joined with the source: an assignment of a source that a lead hid counts as absent.
    let query = "SELECT a.id, a.study_id, a.source_id, a.rater_id, a.state, r.person_id
                 FROM keys k
                 JOIN assignment a ON a.id = k.id
                 JOIN rater r ON r.id = a.rater_id
                 JOIN source s ON s.id = a.source_id";
    let rows = bulk::select(tx, "id", query, assignments, |query, id| query.bind_id(id)).await?;

    // A row may come more than once.
    let records: Result<BTreeMap<_, _>> = read_rows("assignment", &rows, |row| {
        let record = AssignmentRecord {
            assignment: row.parse("id")?,
            study: row.parse("study_id")?,
            source: row.parse("source_id")?,
            rater: row.parse("rater_id")?,
            person: row.parse_optional("person_id")?,
            state: row.parse("state")?,
        };
        Ok((record.assignment, record))
    });
    Ok(records?.into_values().collect())
}

/// Sets an assignment's state, with the end that belongs to it, and announces it under the state's
/// name.
pub(crate) async fn set_state(
    tx: &mut AnyConnection,
    place: &AssignmentRecord,
    state: AssignmentState,
    reason: &str,
    now_ms: i64,
) -> Result<()> {
    sqlx::query("UPDATE assignment SET state = $1, ended_at = $2, reason = $3 WHERE id = $4")
        .bind(state.name())
        .bind((state != AssignmentState::Open).then_some(now_ms))
        .bind(reason)
        .bind_id(place.assignment)
        .execute(&mut *tx)
        .await?;

    places::count_source_places(tx, place.source).await?;
    let kind = EventKind::from_state(state);
    event::record(tx, place.study, kind, place.assignment, now_ms).await?;
    Ok(())
}

/// Extends a lease: the annotator is at work.
pub(crate) async fn renew_lease(
    tx: &mut AnyConnection,
    assignment: AssignmentId,
    until_ms: i64,
) -> Result<()> {
    sqlx::query("UPDATE assignment SET leased_until = $1 WHERE id = $2 AND leased_until < $1")
        .bind(until_ms)
        .bind_id(assignment)
        .execute(tx)
        .await?;
    Ok(())
}

/// When a lease that begins at `now_ms` ends.
pub(crate) fn lease_end(settings: &domain::study::StudySettings, now_ms: i64) -> i64 {
    now_ms + i64::from(settings.lease_hours) * 3_600_000
}

/// The time since which a crowd rater must have been seen so as not to count as away: one lease
/// ago.
pub(crate) fn away_before(settings: &domain::study::StudySettings, now_ms: i64) -> i64 {
    now_ms - i64::from(settings.lease_hours) * 3_600_000
}
