//! Giving an annotator the next source.

use std::collections::HashSet;

use domain::{
    ids::{AssignmentId, PersonId, RaterId, SourceId, StudyId},
    study::{AssignmentState, QualificationRule, StudySettings},
};
use sqlx::{AnyConnection, any::AnyRow};

use super::{
    AssignmentRecord, LEASE, NewAssignment,
    choice::{SourceCandidate, SourceChoice, choose_ready, leases_to_release},
    lease_end, set_state,
};
use crate::{
    EventKind, Result, Store,
    alignments::load_held_back,
    annotators::ensure_annotator_rater,
    columns::{BindId, TableRow, parse_text},
    event, lock,
};

/// The next work for an annotator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextAssignment {
    /// This.
    Assignment(AssignmentId),
    /// Nothing until they are admitted to the sources of the study.
    AwaitsAdmission,
    /// Nothing until the edits of new outputs are made by the best aligner there is.
    Preparing,
    /// Nothing: each source is done by them, or has its number of raters.
    Nothing,
}

impl Store {
    /// Gives the person a source of the study to judge: the one that they have open, else the next
    /// one (tutorial, training and qualification first). Never more raters get a source than the
    /// study asks for, imported ones aside. A lease that has run out ends when its place is needed.
    ///
    /// # Errors
    /// Refused where the person is no annotator of the study or withdrew, or the study is closed.
    pub async fn next_assignment(
        &self,
        study: StudyId,
        person: PersonId,
        new: NewAssignment,
    ) -> Result<NextAssignment> {
        in_transaction!(self, |tx| {
            let locked_study = lock::lock_open_study(&mut tx, study).await?;
            let annotator = ensure_annotator_rater(&mut tx, study, person, new.rater).await?;
            let rater = annotator.rater;
            let admitted = annotator.admitted
                || locked_study.settings.qualification == QualificationRule::None;
            let (candidates, held_back) = load_choice(&mut tx, study, rater, new.now_ms).await?;
            let overlap = locked_study.settings.overlap;
            let choice = choose_ready(&candidates, &held_back, overlap, admitted);
            if let SourceChoice::GiveAgain(_, source) | SourceChoice::New(source) = choice {
                make_room(
                    &mut tx,
                    study,
                    &locked_study.settings,
                    source,
                    &candidates,
                    new.now_ms,
                )
                .await?;
            }
            match choice {
                SourceChoice::Resume(assignment) => {
                    let until = lease_end(&locked_study.settings, new.now_ms);
                    super::renew_lease(&mut tx, assignment, until).await?;
                    NextAssignment::Assignment(assignment)
                }
                SourceChoice::GiveAgain(assignment, source) => {
                    let until = lease_end(&locked_study.settings, new.now_ms);
                    super::renew_lease(&mut tx, assignment, until).await?;
                    let place = AssignmentRecord {
                        assignment,
                        study,
                        source,
                        rater,
                        person: Some(person),
                        state: AssignmentState::Released,
                    };
                    set_state(&mut tx, &place, AssignmentState::Open, "", new.now_ms).await?;
                    NextAssignment::Assignment(assignment)
                }
                SourceChoice::New(source) => {
                    insert(&mut tx, study, &locked_study.settings, source, rater, new).await?;
                    NextAssignment::Assignment(new.id)
                }
                SourceChoice::Wait => NextAssignment::AwaitsAdmission,
                SourceChoice::Preparing => NextAssignment::Preparing,
                SourceChoice::Nothing => NextAssignment::Nothing,
            }
        })
    }
}

/// Which of several sources are listed that a rater could be given just as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CandidateList {
    /// The first of them, with their number.
    FirstOfEach,
    /// All of them.
    Every,
}

/// A statement on `seen`: the sources of study `$1` that have something to judge, as rater `$2` sees them at `$3`.
///
/// Assignments are counted before they are joined: SQLite would else go through those of the whole study
/// for each source.
macro_rules! candidates {
    ($listed:literal) => {
        concat!(
            "WITH held AS (
                SELECT x.source_id,
                       COUNT(CASE WHEN x.state = 'handed-in' OR x.leased_until >= $3 THEN 1 END)
                           AS held,
                       COUNT(CASE WHEN x.state = 'open' AND x.leased_until < $3 THEN 1 END) AS expired
                FROM assignment x
                WHERE x.study_id = $1 AND x.rater_id <> $2 AND x.state IN ('open', 'handed-in')
                  AND x.rater_id NOT IN (
                    SELECT r.id FROM rater r
                    JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
                    WHERE r.study_id = $1 AND m.withdrawn_at IS NOT NULL)
                GROUP BY x.source_id
            ), seen AS (
                SELECT s.id, s.purpose, s.position,
                       mine.id AS mine_id, mine.state AS mine_state, mine.reason AS mine_reason,
                       CASE WHEN EXISTS (SELECT 1 FROM open_question q WHERE q.assignment_id = mine.id)
                            THEN 1 ELSE 0 END AS asked,
                       COALESCE(h.held, 0) AS held, COALESCE(h.expired, 0) AS expired
                FROM source s
                LEFT JOIN assignment mine ON mine.source_id = s.id AND mine.rater_id = $2
                LEFT JOIN held h ON h.source_id = s.id
                WHERE s.study_id = $1 AND EXISTS (SELECT 1 FROM output o WHERE o.source_id = s.id)
            ) ",
            $listed
        )
    };
}

/// The sources from which the rater's next one is chosen, and those that are held back.
pub(super) async fn load_choice(
    tx: &mut AnyConnection,
    study: StudyId,
    rater: RaterId,
    now_ms: i64,
) -> Result<(Vec<SourceCandidate>, HashSet<SourceId>)> {
    let held_back = load_held_back(tx, study, now_ms).await?;
    // The first of several may be held back where others are not.
    let list = match held_back.is_empty() {
        true => CandidateList::FirstOfEach,
        false => CandidateList::Every,
    };
    let candidates = load_candidates(tx, study, rater, list, now_ms).await?;
    Ok((candidates, held_back))
}

/// The study's sources that have something to judge, as the rater sees them, in no order.
pub(super) async fn load_candidates(
    tx: &mut AnyConnection,
    study: StudyId,
    rater: RaterId,
    list: CandidateList,
    now_ms: i64,
) -> Result<Vec<SourceCandidate>> {
    let statement = match list {
        CandidateList::Every => candidates!("SELECT seen.*, 1 AS sources FROM seen"),
        CandidateList::FirstOfEach => candidates!(
            "SELECT listed.* FROM (
                SELECT seen.*, COUNT(*) OVER alike AS sources,
                       ROW_NUMBER() OVER (alike ORDER BY position) AS place
                FROM seen
                WINDOW alike AS (
                    PARTITION BY purpose, mine_state, mine_reason, asked, held, expired)
             ) listed WHERE place = 1"
        ),
    };
    let rows = sqlx::query(statement)
        .bind_id(study)
        .bind_id(rater)
        .bind(now_ms)
        .fetch_all(tx)
        .await?;
    rows.iter().map(read_candidate).collect()
}

fn read_candidate(row: &AnyRow) -> Result<SourceCandidate> {
    let row = TableRow::new("source", row)?;
    let mine = match row.get::<Option<&str>>("mine_id")? {
        None => None,
        Some(mine) => Some((
            parse_text("assignment", mine, "id", mine)?,
            parse_text("assignment", mine, "state", row.get("mine_state")?)?,
            row.get("mine_reason")?,
        )),
    };
    let count = |column| -> Result<u32> {
        let count: i64 = row.get(column)?;
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    };
    Ok(SourceCandidate {
        source: row.parse("id")?,
        purpose: row.parse("purpose")?,
        position: row.get("position")?,
        asked: row.get::<i64>("asked")? != 0,
        mine,
        held: count("held")?,
        expired: count("expired")?,
        sources: count("sources")?,
    })
}

/// Ends as many expired leases on the source as one more rater needs, the oldest first.
pub(super) async fn make_room(
    tx: &mut AnyConnection,
    study: StudyId,
    settings: &StudySettings,
    source: SourceId,
    candidates: &[SourceCandidate],
    now_ms: i64,
) -> Result<()> {
    let main = |c: &&SourceCandidate| {
        c.source == source && c.purpose == domain::study::SourcePurpose::Main
    };
    let release = candidates.iter().find(main).map_or(0, |c| {
        leases_to_release(c.held, c.expired, settings.overlap)
    });
    let rows = sqlx::query(
        "SELECT a.id, a.rater_id FROM assignment a
         JOIN rater r ON r.id = a.rater_id
         LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
         WHERE a.source_id = $1 AND a.state = 'open' AND a.leased_until < $2
           AND m.withdrawn_at IS NULL
         ORDER BY a.leased_until, a.id LIMIT $3",
    )
    .bind_id(source)
    .bind(now_ms)
    .bind(i64::from(release))
    .fetch_all(&mut *tx)
    .await?;
    for row in &rows {
        let row = TableRow::new("assignment", row)?;
        let place = AssignmentRecord {
            assignment: row.parse("id")?,
            study,
            source,
            rater: row.parse("rater_id")?,
            person: None,
            state: AssignmentState::Open,
        };
        set_state(tx, &place, AssignmentState::Released, LEASE, now_ms).await?;
    }
    Ok(())
}

/// Gives the source to the rater.
pub(super) async fn insert(
    tx: &mut AnyConnection,
    study: StudyId,
    settings: &StudySettings,
    source: SourceId,
    rater: RaterId,
    new: NewAssignment,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO assignment (id, study_id, source_id, rater_id, state, seed, created_at,
         leased_until) VALUES ($1, $2, $3, $4, 'open', $5, $6, $7)",
    )
    .bind_id(new.id)
    .bind_id(study)
    .bind_id(source)
    .bind_id(rater)
    .bind(new.seed)
    .bind(new.now_ms)
    .bind(lease_end(settings, new.now_ms))
    .execute(&mut *tx)
    .await?;
    event::record(tx, study, EventKind::Open, new.id, new.now_ms).await?;
    Ok(())
}
