//! Assignments that a lead gives or takes back by hand.

use domain::{
    ids::{AssignmentId, PersonId, RaterId, SourceId, StudyId},
    study::{AssignmentState, RaterKind, Role, StudySettings},
};
use sqlx::AnyConnection;

use super::{
    AssignmentRecord, NewAssignment, load_assignment,
    next_assignment::{give_again, insert, make_room},
    set_state,
    source_candidates::{CandidateQuery, load_candidate},
};
use crate::{
    Error, Result, Store,
    columns::{BindId, TableRow},
    experiments::{enter_arm, refuse_outside_square},
    lock,
};

impl Store {
    /// Gives a source of the study to a rater: as a new assignment, or by reopening theirs. Returns
    /// the assignment.
    ///
    /// # Errors
    /// Refused where the rater has the source or has handed it in, is not an annotator, or the
    /// source has its number of raters.
    pub async fn assign(
        &self,
        study: StudyId,
        source: SourceId,
        rater: RaterId,
        new: NewAssignment,
    ) -> Result<AssignmentId> {
        in_transaction!(self, |tx| {
            let locked_study = lock::lock_open_study(&mut tx, study).await?;
            give_source(&mut tx, study, &locked_study.settings, source, rater, new).await?
        })
    }

    /// Takes an open assignment back, with the reason that its annotator is told. `None` if there
    /// is no such assignment.
    ///
    /// # Errors
    /// Refused where it is not open.
    pub async fn release(
        &self,
        assignment: AssignmentId,
        reason: &str,
        now_ms: i64,
    ) -> Result<Option<()>> {
        in_transaction!(self, |tx| {
            match lock_assignment(&mut tx, assignment).await? {
                None => None,
                Some((place, _)) => {
                    take_back(&mut tx, &place, reason, now_ms).await?;
                    Some(())
                }
            }
        })
    }

    /// Takes an open assignment back and gives its source to another rater; all or nothing. Returns
    /// the other rater's assignment, or `None` if there is none to take back.
    ///
    /// # Errors
    /// Refused where it is not open, or the other rater cannot have the source.
    pub async fn reassign(
        &self,
        assignment: AssignmentId,
        to: RaterId,
        new: NewAssignment,
    ) -> Result<Option<AssignmentId>> {
        in_transaction!(self, |tx| {
            match lock_assignment(&mut tx, assignment).await? {
                None => None,
                Some((place, settings)) => {
                    take_back(&mut tx, &place, "given to somebody else", new.now_ms).await?;
                    let new_assignment =
                        give_source(&mut tx, place.study, &settings, place.source, to, new);
                    Some(new_assignment.await?)
                }
            }
        })
    }
}

/// The assignment, read after its study was locked.
pub(crate) async fn lock_assignment(
    tx: &mut AnyConnection,
    assignment: AssignmentId,
) -> Result<Option<(AssignmentRecord, StudySettings)>> {
    let Some(before) = load_assignment(tx, assignment).await? else {
        return Ok(None);
    };
    let locked_study = lock::lock_open_study(tx, before.study).await?;
    let now = load_assignment(tx, assignment).await?;
    Ok(now.map(|place| (place, locked_study.settings)))
}

async fn take_back(
    tx: &mut AnyConnection,
    place: &AssignmentRecord,
    reason: &str,
    now_ms: i64,
) -> Result<()> {
    if place.state != AssignmentState::Open {
        return Err(Error::Refused(format!(
            "Only an open source can be taken back; this one is {}.",
            place.state
        )));
    }
    set_state(tx, place, AssignmentState::Released, reason, now_ms).await
}

async fn give_source(
    tx: &mut AnyConnection,
    study: StudyId,
    settings: &StudySettings,
    source: SourceId,
    rater: RaterId,
    new: NewAssignment,
) -> Result<AssignmentId> {
    let annotator = check_annotator(tx, study, rater).await?;
    if let Some(person) = annotator.person {
        enter_arm(tx, study, rater, person).await?;
        refuse_outside_square(tx, study, source, person).await?;
    }

    let group = annotator.group.as_deref();
    let query = CandidateQuery::new(study, rater, group, settings, new.now_ms);
    let candidate = load_candidate(tx, &query, source)
        .await?
        .ok_or_else(|| Error::Refused("The study has no such source with outputs.".into()))?;

    if let Some((_, state @ (AssignmentState::Open | AssignmentState::HandedIn), _)) =
        candidate.mine
    {
        return Err(Error::Refused(format!(
            "This annotator has this source already ({state})."
        )));
    }

    if !candidate.has_room() {
        let who = match settings.group(Some(&query.counted_group)) {
            Some(group) => format!("annotators of the group “{}”", group.name),
            None => "annotators".to_owned(),
        };
        let of_source = match query.counted_group.is_empty() {
            true => " or, for this source alone, on its page",
            false => "",
        };
        return Err(Error::Refused(format!(
            "{} {who} have this source already, as many as the study asks for: take it back from one of them, or \
             raise the number in the study's settings{of_source}.",
            candidate.held
        )));
    }

    if query.load_held_back(tx).await?.contains(&source) {
        return Err(Error::Refused(
            "The highlights of this source are still being made. Try again in a minute.".into(),
        ));
    }

    make_room(tx, &query, &candidate).await?;
    let Some((assignment, state, _)) = candidate.mine else {
        insert(tx, &query, settings, source, new).await?;
        return Ok(new.id);
    };

    give_again(tx, &query, settings, assignment).await?;
    let place = AssignmentRecord {
        assignment,
        study,
        source,
        rater,
        person: None,
        state,
    };
    set_state(tx, &place, AssignmentState::Open, "", new.now_ms).await?;
    Ok(assignment)
}

/// An annotator who can be given a source.
struct CheckedAnnotator {
    /// `None` if their account was erased.
    person: Option<PersonId>,
    group: Option<String>,
}

/// Refuses a rater who cannot be given a source, and returns any other.
async fn check_annotator(
    tx: &mut AnyConnection,
    study: StudyId,
    rater: RaterId,
) -> Result<CheckedAnnotator> {
    let row = sqlx::query(
        "SELECT r.kind, r.person_id, m.role, m.withdrawn_at, m.group_id FROM rater r
         LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
         WHERE r.study_id = $1 AND r.id = $2",
    )
    .bind_id(study)
    .bind_id(rater)
    .fetch_optional(tx)
    .await?
    .ok_or_else(|| Error::Refused("The study has no such annotator.".into()))?;

    let row = TableRow::named("rater", &row, rater);
    let kind: RaterKind = row.parse("kind")?;
    if kind == RaterKind::Imported {
        return Err(Error::Refused(
            "This rater came with a file and cannot be given anything.".into(),
        ));
    }

    // A rater without a person whose account was erased can still be given a source.
    if kind == RaterKind::Person && row.get::<Option<&str>>("role")? != Some(Role::Annotator.name())
    {
        return Err(Error::Refused(
            "This person is no longer an annotator of the study.".into(),
        ));
    }

    if row.is_set("withdrawn_at")? {
        return Err(Error::Refused(
            "This annotator has withdrawn from the study.".into(),
        ));
    }

    Ok(CheckedAnnotator {
        person: row.parse_optional("person_id")?,
        group: row.get("group_id")?,
    })
}
