//! What a lead does with assignments by hand.

use domain::{
    ids::{AssignmentId, RaterId, SourceId, StudyId},
    study::{AssignmentState, RaterKind, Role, Settings, SourcePurpose},
};
use sqlx::{AnyConnection, Row};

use super::{
    NewAssignment, Place, lease_end,
    next::{candidates, insert, make_room},
    place, renew, set_state,
};
use crate::{Error, Result, Store, alignments::held_back, lock, read::parsed};

impl Store {
    /// Gives a source of the study to a rater: a new assignment, or theirs to that source opened
    /// again. Tells which.
    ///
    /// # Errors
    /// Refused where the rater has the source or has handed it in, is no annotator, or the source
    /// has its number of raters.
    pub async fn assign(
        &self,
        study: StudyId,
        source: SourceId,
        rater: RaterId,
        new: NewAssignment,
    ) -> Result<AssignmentId> {
        in_transaction!(self, |tx| {
            let held = lock::study(&mut tx, study).await?;
            give(&mut tx, study, &held.settings, source, rater, new).await?
        })
    }

    /// Takes an open assignment back, with the reason that its annotator is told. `None` where there
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
            match locked(&mut tx, assignment).await? {
                None => None,
                Some((place, _)) => {
                    take_back(&mut tx, &place, reason, now_ms).await?;
                    Some(())
                }
            }
        })
    }

    /// Takes an open assignment back and gives its source to another rater; all or nothing. Tells
    /// which assignment that is, `None` where there is none to take back.
    ///
    /// # Errors
    /// Refused where it is not open, or the other cannot have the source.
    pub async fn reassign(
        &self,
        assignment: AssignmentId,
        to: RaterId,
        new: NewAssignment,
    ) -> Result<Option<AssignmentId>> {
        in_transaction!(self, |tx| {
            match locked(&mut tx, assignment).await? {
                None => None,
                Some((place, settings)) => {
                    take_back(&mut tx, &place, "given to somebody else", new.now_ms).await?;
                    let given = give(&mut tx, place.study, &settings, place.source, to, new);
                    Some(given.await?)
                }
            }
        })
    }
}

/// The assignment as it is while its study is held.
pub(crate) async fn locked(
    tx: &mut AnyConnection,
    assignment: AssignmentId,
) -> Result<Option<(Place, Settings)>> {
    let Some(before) = place(tx, assignment).await? else {
        return Ok(None);
    };
    let held = lock::study(tx, before.study).await?;
    let now = place(tx, assignment).await?;
    Ok(now.map(|place| (place, held.settings)))
}

async fn take_back(tx: &mut AnyConnection, place: &Place, reason: &str, now_ms: i64) -> Result<()> {
    if place.state != AssignmentState::Open {
        return Err(Error::Refused(format!(
            "Only an open source can be taken back; this one is {}.",
            place.state
        )));
    }
    set_state(tx, place, AssignmentState::Released, reason, now_ms).await
}

async fn give(
    tx: &mut AnyConnection,
    study: StudyId,
    settings: &Settings,
    source: SourceId,
    rater: RaterId,
    new: NewAssignment,
) -> Result<AssignmentId> {
    check_annotator(tx, study, rater).await?;
    let candidates = candidates(tx, study, rater, new.now_ms).await?;
    let candidate = candidates
        .iter()
        .find(|c| c.source == source)
        .ok_or_else(|| Error::Refused("The study has no such source with outputs.".into()))?;
    if let Some((_, state @ (AssignmentState::Open | AssignmentState::HandedIn), _)) =
        candidate.mine
    {
        return Err(Error::Refused(format!(
            "This annotator has this source already ({state})."
        )));
    }
    if candidate.purpose == SourcePurpose::Main && candidate.held >= settings.overlap {
        return Err(Error::Refused(format!(
            "{} annotators have this source already, as many as the study asks for: take it back \
             from one of them, or raise the number in the study's settings.",
            candidate.held
        )));
    }
    if held_back(tx, study, new.now_ms).await?.contains(&source) {
        return Err(Error::Refused(
            "The highlights of this source are still being made. Try again in a minute.".into(),
        ));
    }
    make_room(tx, study, settings, source, &candidates, new.now_ms).await?;
    let Some((assignment, state, _)) = candidate.mine else {
        insert(tx, study, settings, source, rater, new).await?;
        return Ok(new.id);
    };
    renew(tx, assignment, lease_end(settings, new.now_ms)).await?;
    let place = Place {
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

async fn check_annotator(tx: &mut AnyConnection, study: StudyId, rater: RaterId) -> Result<()> {
    let row = sqlx::query(
        "SELECT r.kind, r.person_id, m.role, m.withdrawn_at FROM rater r
         LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
         WHERE r.study_id = $1 AND r.id = $2",
    )
    .bind(study.to_string())
    .bind(rater.to_string())
    .fetch_optional(tx)
    .await?
    .ok_or_else(|| Error::Refused("The study has no such annotator.".into()))?;
    let kind: RaterKind = parsed("rater", rater, "kind", row.try_get("kind")?)?;
    if kind == RaterKind::Imported {
        return Err(Error::Refused(
            "This rater came with a file and cannot be given anything.".into(),
        ));
    }
    let is_person = row.try_get::<Option<&str>, _>("person_id")?.is_some();
    if is_person && row.try_get::<Option<&str>, _>("role")? != Some(Role::Annotator.name()) {
        return Err(Error::Refused(
            "This person is no longer an annotator of the study.".into(),
        ));
    }
    if row.try_get::<Option<i64>, _>("withdrawn_at")?.is_some() {
        return Err(Error::Refused(
            "This annotator has withdrawn from the study.".into(),
        ));
    }
    Ok(())
}
