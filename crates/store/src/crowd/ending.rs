//! The end of a crowd rater's work, and continuing after it.

use domain::{
    crowd::CrowdEnd,
    ids::{IdText, ParticipantId, PersonId, StudyId},
    study::QualificationRule,
};
use sqlx::AnyConnection;

use super::checks::takes_ratings_out;
use crate::{
    Error, EventKind, Result, Store,
    assignments::{UpcomingAssignment, choose_upcoming_assignment},
    columns::{BindId, read_row},
    event, lock, membership,
};

/// A crowd rater in a study that is held.
struct HeldRater {
    participant: ParticipantId,
    person: PersonId,
    end: Option<CrowdEnd>,
    done: u32,
}

impl Store {
    /// Ends the work of a crowd rater who has nothing left to do, with a comment, which may be
    /// empty. Returns how it ended. A second call changes nothing.
    ///
    /// # Errors
    /// Refused where the person is not a crowd rater of the study, or still has something to do in
    /// it.
    pub async fn finish_crowd_work(
        &self,
        study: StudyId,
        person: PersonId,
        comment: &str,
        now_ms: i64,
    ) -> Result<CrowdEnd> {
        in_transaction!(self, |tx| {
            let locked_study = lock::lock_study(&mut tx, study).await?;
            let held = find(&mut tx, study, "p.person_id = $2", person).await?;
            let held = held.ok_or_else(|| {
                Error::Refused("You have no place in this study: open your link again.".into())
            })?;
            if let Some(end) = held.end {
                return Ok(end);
            }

            let next = match locked_study.closed_reason {
                Some(_) => UpcomingAssignment::Nothing,
                None => choose_upcoming_assignment(&mut tx, study, person, now_ms)
                    .await?
                    .unwrap_or(UpcomingAssignment::Nothing),
            };

            let qualification = &locked_study.settings.qualification;
            let end = match next {
                UpcomingAssignment::Nothing if held.done > 0 => CrowdEnd::Completed,
                UpcomingAssignment::Nothing => CrowdEnd::QuotaFull,
                UpcomingAssignment::AwaitsAdmission
                    if matches!(qualification, QualificationRule::Answers { .. }) =>
                {
                    CrowdEnd::ScreenedOut
                }
                UpcomingAssignment::AwaitsAdmission => {
                    return refuse(
                        "The people who run this study are still checking your answers.",
                    );
                }
                UpcomingAssignment::Open(..)
                | UpcomingAssignment::Source(_)
                | UpcomingAssignment::Preparing => {
                    return refuse("There is still something for you to judge: finish that first.");
                }
            };

            sqlx::query("UPDATE participant SET comment = $2 WHERE id = $1")
                .bind_id(held.participant)
                .bind(comment)
                .execute(&mut *tx)
                .await?;

            if end == CrowdEnd::Completed {
                sqlx::query("UPDATE participant SET finished_at = $2 WHERE id = $1")
                    .bind_id(held.participant)
                    .bind(now_ms)
                    .execute(&mut *tx)
                    .await?;
                event::record(
                    &mut tx,
                    study,
                    EventKind::Participant,
                    held.participant,
                    now_ms,
                )
                .await?;
            } else {
                let HeldRater {
                    participant,
                    person,
                    ..
                } = held;
                record_end(&mut tx, study, participant, person, end, "", now_ms).await?;
            }

            end
        })
    }

    /// Excludes a crowd rater's ratings, for the lead's reason, and gives them no more work.
    /// Returns false if the study has no such crowd rater, or they were excluded before.
    ///
    /// # Errors
    /// Refused without a reason, and for a person who never began.
    pub async fn exclude_crowd_rater(
        &self,
        study: StudyId,
        participant: ParticipantId,
        reason: &str,
        now_ms: i64,
    ) -> Result<bool> {
        if reason.trim().is_empty() {
            return refuse("Say why: the reason is kept with it.");
        }

        change_in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;
            match find(&mut tx, study, "p.id = $2", participant).await? {
                None => false,
                Some(held) if held.end.is_some_and(takes_ratings_out) => false,
                Some(held) => {
                    refuse_without_work(held.end)?;

                    let end = CrowdEnd::Excluded;
                    let reason = reason.trim();
                    record_end(
                        &mut tx,
                        study,
                        participant,
                        held.person,
                        end,
                        reason,
                        now_ms,
                    )
                    .await?;
                    true
                }
            }
        })
    }

    /// Lets a crowd rater continue who was paused, excluded, or away for long; their ratings count
    /// again, and earlier attention items are forgotten. Returns false if the study has no such
    /// crowd rater, or their work has not ended or is complete.
    ///
    /// # Errors
    /// Refused for a person who never began, or who withdrew.
    pub async fn include_crowd_rater(
        &self,
        study: StudyId,
        participant: ParticipantId,
        now_ms: i64,
    ) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;
            match find(&mut tx, study, "p.id = $2", participant).await? {
                None => false,
                Some(held) if matches!(held.end, None | Some(CrowdEnd::Completed)) => false,
                Some(held) => {
                    refuse_without_work(held.end)?;
                    if held.end == Some(CrowdEnd::Withdrawn) {
                        return refuse(
                            "They withdrew: nobody but they can decide about their answers.",
                        );
                    }

                    sqlx::query(
                        "UPDATE participant SET left_at = NULL, left_as = NULL, left_reason = '',
                             checks_after = $2, seen_at = $2 WHERE id = $1",
                    )
                    .bind_id(participant)
                    .bind(now_ms)
                    .execute(&mut *tx)
                    .await?;

                    set_withdrawn(&mut tx, study, held.person, None).await?;
                    membership::count_places_of(&mut tx, study, held.person).await?;
                    event::record(&mut tx, study, EventKind::Participant, participant, now_ms)
                        .await?;
                    event::record(&mut tx, study, EventKind::Member, held.person, now_ms).await?;
                    true
                }
            }
        })
    }
}

fn refuse_without_work(end: Option<CrowdEnd>) -> Result<()> {
    match end {
        Some(CrowdEnd::ScreenedOut | CrowdEnd::QuotaFull) => {
            refuse("They were told that they cannot take part, and have rated nothing.")
        }
        _ => Ok(()),
    }
}

/// Ends a crowd rater's work in a study that is held; their open sources are taken back.
pub(super) async fn record_end(
    tx: &mut AnyConnection,
    study: StudyId,
    participant: ParticipantId,
    person: PersonId,
    end: CrowdEnd,
    reason: &str,
    now_ms: i64,
) -> Result<()> {
    sqlx::query(
        "UPDATE participant SET left_at = $2, left_as = $3, left_reason = $4 WHERE id = $1",
    )
    .bind_id(participant)
    .bind(now_ms)
    .bind(end.name())
    .bind(reason)
    .execute(&mut *tx)
    .await?;

    if takes_ratings_out(end) {
        set_withdrawn(tx, study, person, Some(now_ms)).await?;
    }

    membership::release_open(tx, study, person, end.name(), now_ms).await?;
    event::record(tx, study, EventKind::Participant, participant, now_ms).await?;
    event::record(tx, study, EventKind::Member, person, now_ms).await?;
    Ok(())
}

async fn set_withdrawn(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
    at: Option<i64>,
) -> Result<()> {
    sqlx::query("UPDATE member SET withdrawn_at = $3 WHERE study_id = $1 AND person_id = $2")
        .bind_id(study)
        .bind_id(person)
        .bind(at)
        .execute(tx)
        .await?;
    Ok(())
}

/// Whether the person is a crowd rater of the study whose work has ended.
pub(crate) async fn has_ended(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
) -> Result<bool> {
    let held = find(tx, study, "p.person_id = $2", person).await?;
    Ok(held.is_some_and(|held| held.end.is_some()))
}

/// The crowd rater of the study for whom the condition `which` on `$2` holds.
async fn find(
    tx: &mut AnyConnection,
    study: StudyId,
    which: &'static str,
    id: impl IdText,
) -> Result<Option<HeldRater>> {
    let sql = sqlx::AssertSqlSafe(format!(
        "SELECT p.id, p.person_id, p.finished_at, p.left_as,
                (SELECT COUNT(*) FROM assignment x
                 JOIN rater r ON r.id = x.rater_id JOIN source s ON s.id = x.source_id
                 WHERE r.study_id = p.study_id AND r.person_id = p.person_id AND x.state = 'handed-in'
                   AND s.purpose IN ('main', 'attention')) AS done
         FROM participant p
         WHERE p.study_id = $1 AND {which} AND p.kind = 'rating' AND p.person_id IS NOT NULL"
    ));
    let row = sqlx::query(sql)
        .bind_id(study)
        .bind_id(id)
        .fetch_optional(tx)
        .await?;

    read_row("participant", row, |row| {
        let is_finished = row.is_set("finished_at")?;
        let left: Option<CrowdEnd> = row.parse_optional("left_as")?;
        Ok(HeldRater {
            participant: row.parse("id")?,
            person: row.parse("person_id")?,
            end: left.or(is_finished.then_some(CrowdEnd::Completed)),
            done: row.count("done")?,
        })
    })
}

fn refuse<T>(sentence: &str) -> Result<T> {
    Err(Error::Refused(sentence.to_owned()))
}
