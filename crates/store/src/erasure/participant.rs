//! Erasing a participant: a reader or a crowd rater.

use domain::ids::{ParticipantId, PersonId, StudyId};
use sqlx::AnyConnection;

use super::AccountErasure;
use crate::{
    Error, EventKind, Result, Store,
    columns::{BindId, TableRow},
    comprehension::find_participant,
    event, lock,
};

impl Store {
    /// Deletes a participant with all their answers, comments and times. Their texts go to others;
    /// a crowd rater's ratings and account are erased. Returns false if the study has no such
    /// participant.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn erase_participant(
        &self,
        study: StudyId,
        participant: ParticipantId,
        now_ms: i64,
    ) -> Result<bool> {
        if let Some(person) = self.crowd_account(study, participant).await? {
            let all = AccountErasure {
                comments: true,
                ratings: true,
            };
            return self.erase_person(person, all, now_ms).await;
        }

        change_in_transaction!(self, |tx| {
            event::lock_study(&mut tx, study).await?;
            delete_participant(&mut tx, study, participant, now_ms).await?
        })
    }

    /// The account of a participant who is a crowd rater.
    async fn crowd_account(
        &self,
        study: StudyId,
        participant: ParticipantId,
    ) -> Result<Option<PersonId>> {
        let row = sqlx::query("SELECT person_id FROM participant WHERE id = $1 AND study_id = $2")
            .bind_id(participant)
            .bind_id(study)
            .fetch_optional(self.reader())
            .await?;

        row.map_or(Ok(None), |row| {
            TableRow::named("participant", &row, participant).parse_optional("person_id")
        })
    }

    /// Erases the participant of a session, whether they finished, left or are still reading.
    ///
    /// # Errors
    /// Refused where the session is unknown, or the study is closed: then its lead decides.
    pub async fn erase_own_participation(&self, session_hash: &str, now_ms: i64) -> Result<()> {
        let unknown =
            || Error::Refused("This session is not known: follow your link again.".into());

        let mut reader = self.reader().acquire().await?;
        let seat = find_participant(&mut reader, session_hash).await?;
        drop(reader);

        let store = self.with_audited_study(seat.ok_or_else(unknown)?.study);
        change_in_transaction!(store, |tx| {
            let seat = find_participant(&mut tx, session_hash)
                .await?
                .ok_or_else(unknown)?;

            if lock::lock_study(&mut tx, seat.study)
                .await?
                .closed_reason
                .is_some()
            {
                return Err(Error::Refused(
                    "This study is closed: ask the people who run it to erase your answers.".into(),
                ));
            }

            // False if it was erased while we waited, which is as good.
            delete_participant(&mut tx, seat.study, seat.participant, now_ms).await?
        })?;
        Ok(())
    }
}

/// Deletes a participant and what refers to them. The study must be held.
async fn delete_participant(
    tx: &mut AnyConnection,
    study: StudyId,
    participant: ParticipantId,
    now_ms: i64,
) -> Result<bool> {
    sqlx::query("DELETE FROM reading_answer WHERE participant_id = $1 AND study_id = $2")
        .bind_id(participant)
        .bind_id(study)
        .execute(&mut *tx)
        .await?;

    // Their texts, orders of answers and times go with the row.
    let deleted = sqlx::query("DELETE FROM participant WHERE id = $1 AND study_id = $2")
        .bind_id(participant)
        .bind_id(study)
        .execute(&mut *tx)
        .await?
        .rows_affected();

    if deleted > 0 {
        event::record(tx, study, EventKind::Participant, participant, now_ms).await?;
    }
    Ok(deleted > 0)
}
