//! Giving an annotator the next source.

use domain::{
    ids::{AssignmentId, PersonId, SourceId, StudyId},
    study::{AssignmentState, QualificationRule, SourcePurpose, StudySettings},
};
use sqlx::AnyConnection;

use super::{
    AssignmentRecord, LEASE, NewAssignment,
    choice::{SourceCandidate, SourceChoice, choose_ready},
    crowd_limit::CrowdLimit,
    lease_end, set_state,
    source_candidates::{CandidateQuery, counted_alike, load_choice},
};
use crate::{
    EventKind, Result, Store,
    annotators::{AnnotatorRater, ensure_annotator_rater},
    columns::{BindId, TableRow},
    event,
    experiments::{EnteredArm, enter_arm},
    lock, places,
};

/// An annotator's next work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextAssignment {
    /// This assignment.
    Assignment(AssignmentId),
    /// Nothing until they are admitted to the sources of the study.
    AwaitsAdmission,
    /// Nothing until the best available aligner has made the edits of new outputs.
    Preparing,
    /// Nothing here yet: they are new in an experiment and begin in this study, another of its
    /// arms.
    OtherPart(StudyId),
    /// Nothing: they have done each source, or it has its number of raters.
    Nothing,
}

impl Store {
    /// Gives the person a source of the study to judge: the one that they have open, or else the
    /// next one (tutorial, training and qualification first). A source never gets more raters than
    /// it asks for, apart from imported ones. An expired lease ends when its place is needed.
    ///
    /// # Errors
    /// Refused where the person is not an annotator of the study or withdrew, or the study is
    /// closed.
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
            let settings = &locked_study.settings;

            match enter_arm(&mut tx, study, rater, person).await? {
                Some(EnteredArm::BeginsIn(first)) => NextAssignment::OtherPart(first),
                entered => {
                    let group = annotator.group.as_deref();
                    let query = CandidateQuery::new(study, rater, group, settings, new.now_ms)
                        .in_square(entered.and_then(EnteredArm::column));
                    give_next(&mut tx, settings, &annotator, person, &query, new).await?
                }
            }
        })
    }
}

/// Gives an assignment that ended back to its rater, for their current group and on a new lease.
pub(super) async fn give_again(
    tx: &mut AnyConnection,
    query: &CandidateQuery,
    settings: &StudySettings,
    assignment: AssignmentId,
) -> Result<()> {
    sqlx::query("UPDATE assignment SET group_id = $2 WHERE id = $1")
        .bind_id(assignment)
        .bind(query.group.clone())
        .execute(&mut *tx)
        .await?;
    super::renew_lease(tx, assignment, lease_end(settings, query.now_ms)).await
}

/// Gives the annotator the best source for them, if any.
async fn give_next(
    tx: &mut AnyConnection,
    settings: &StudySettings,
    annotator: &AnnotatorRater,
    person: PersonId,
    query: &CandidateQuery,
    new: NewAssignment,
) -> Result<NextAssignment> {
    let (study, rater) = (query.study, annotator.rater);
    let admitted = annotator.admitted || settings.qualification == QualificationRule::None;

    let (candidates, held_back) = load_choice(tx, query).await?;
    let limit = CrowdLimit::load(&mut *tx, study, person, &settings.crowd).await?;
    limit.note_seen(tx, new.now_ms).await?;
    let choice = choose_ready(&candidates, &held_back, admitted);
    let choice = limit.apply(choice);

    if let SourceChoice::GiveAgain(_, source) | SourceChoice::New(source) = choice {
        let given = candidates.iter().find(|given| given.source == source);
        make_room(tx, query, given.expect("it was chosen of them")).await?;
    }

    Ok(match choice {
        SourceChoice::Resume(assignment) => {
            let until = lease_end(settings, new.now_ms);
            super::renew_lease(tx, assignment, until).await?;
            NextAssignment::Assignment(assignment)
        }
        SourceChoice::GiveAgain(assignment, source) => {
            give_again(tx, query, settings, assignment).await?;
            let place = AssignmentRecord {
                assignment,
                study,
                source,
                rater,
                person: Some(person),
                state: AssignmentState::Released,
            };
            set_state(tx, &place, AssignmentState::Open, "", new.now_ms).await?;
            NextAssignment::Assignment(assignment)
        }
        SourceChoice::New(source) => {
            insert(tx, query, settings, source, new).await?;
            NextAssignment::Assignment(new.id)
        }
        SourceChoice::Wait => NextAssignment::AwaitsAdmission,
        SourceChoice::Preparing => NextAssignment::Preparing,
        SourceChoice::Nothing => NextAssignment::Nothing,
    })
}

/// Ends as many expired leases on the source as one more rater needs, the oldest first.
pub(super) async fn make_room(
    tx: &mut AnyConnection,
    query: &CandidateQuery,
    given: &SourceCandidate,
) -> Result<()> {
    if given.purpose != SourcePurpose::Main {
        return Ok(());
    }

    let release = given.leases_to_release();
    let rows = sqlx::query(concat!(
        "SELECT x.id, x.rater_id FROM assignment x
         JOIN rater r ON r.id = x.rater_id
         LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
         WHERE x.source_id = $1 AND x.state = 'open' AND x.leased_until < $2
           AND m.withdrawn_at IS NULL AND ",
        counted_alike!(),
        " ORDER BY x.leased_until, x.id LIMIT $3"
    ))
    .bind_id(given.source)
    .bind(query.now_ms)
    .bind(i64::from(release))
    .bind(query.counted_group.clone())
    .bind(query.all_counted.clone())
    .fetch_all(&mut *tx)
    .await?;

    for row in &rows {
        let row = TableRow::new("assignment", row)?;
        let place = AssignmentRecord {
            assignment: row.parse("id")?,
            study: query.study,
            source: given.source,
            rater: row.parse("rater_id")?,
            person: None,
            state: AssignmentState::Open,
        };
        set_state(tx, &place, AssignmentState::Released, LEASE, query.now_ms).await?;
    }
    Ok(())
}

/// Gives the source to the rater.
pub(super) async fn insert(
    tx: &mut AnyConnection,
    query: &CandidateQuery,
    settings: &StudySettings,
    source: SourceId,
    new: NewAssignment,
) -> Result<()> {
    let study = query.study;
    sqlx::query(
        "INSERT INTO assignment (id, study_id, source_id, rater_id, state, seed, created_at,
         leased_until, group_id) VALUES ($1, $2, $3, $4, 'open', $5, $6, $7, $8)",
    )
    .bind_id(new.id)
    .bind_id(study)
    .bind_id(source)
    .bind_id(query.rater)
    .bind(new.seed)
    .bind(new.now_ms)
    .bind(lease_end(settings, new.now_ms))
    .bind(query.group.clone())
    .execute(&mut *tx)
    .await?;

    places::count_source_places(tx, source).await?;
    event::record(tx, study, EventKind::Open, new.id, new.now_ms).await?;
    Ok(())
}
