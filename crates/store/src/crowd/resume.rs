//! Continuing the same work in another browser.

use std::{fmt, str::FromStr};

use domain::ids::{ParticipantId, PersonId, StudyId};
use sqlx::AnyConnection;

use super::join::{CrowdPlace, NewCrowdSession, count_arrival, insert_session, read_place};
use crate::{
    Error, Result, Store,
    columns::{BindId, read_row},
    lock,
};

/// The end of the address at which a crowd rater continues in another browser. It is secret: anyone
/// who has it has the rater's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResumeKey {
    participant: ParticipantId,
    /// Random; stored with the participant.
    secret: i64,
}

impl fmt::Display for ResumeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:016x}", self.participant.0.simple(), self.secret)
    }
}

/// A text that is not the end of such an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("The address is not complete: copy the whole of it.")]
pub struct NotAResumeKey;

impl FromStr for ResumeKey {
    type Err = NotAResumeKey;

    fn from_str(text: &str) -> Result<Self, NotAResumeKey> {
        let (participant, secret) = text.split_at_checked(32).ok_or(NotAResumeKey)?;
        let secret = u64::from_str_radix(secret, 16).map_err(|_| NotAResumeKey)?;
        Ok(Self {
            participant: participant.parse().map_err(|_| NotAResumeKey)?,
            secret: secret.cast_signed(),
        })
    }
}

impl Store {
    /// The resume key of a crowd rater who has begun; `None` for other people, and for raters who
    /// began before there were keys.
    ///
    /// # Errors
    /// When the database fails or the row does not read.
    pub async fn crowd_resume_key(&self, person: PersonId) -> Result<Option<ResumeKey>> {
        let row = sqlx::query(
            "SELECT id, seed FROM participant
             WHERE person_id = $1 AND kind = 'rating' AND begun_at IS NOT NULL AND seed <> 0",
        )
        .bind_id(person)
        .fetch_optional(self.reader())
        .await?;

        read_row("participant", row, |row| {
            Ok(ResumeKey {
                participant: row.parse("id")?,
                secret: row.get("seed")?,
            })
        })
    }

    /// The place to which a resume key leads; `None` if it leads to none.
    ///
    /// # Errors
    /// When the database fails or the row does not read.
    pub async fn crowd_place(&self, key: ResumeKey) -> Result<Option<CrowdPlace>> {
        let mut reader = self.reader().acquire().await?;
        find(&mut reader, key).await
    }

    /// Begins another session of the crowd rater who owns the key, in another browser.
    ///
    /// # Errors
    /// Refused where the key leads to no place; [`Error::TooMany`] after too many people from the
    /// address, whether they come back or begin.
    pub async fn resume_crowd(
        &self,
        key: ResumeKey,
        network: &str,
        session: NewCrowdSession<'_>,
        now_ms: i64,
    ) -> Result<CrowdPlace> {
        in_transaction!(self, |tx| {
            let place = find(&mut tx, key).await?;
            let place = place.ok_or_else(|| Error::Refused(UNKNOWN.into()))?;
            lock::lock_study(&mut tx, place.study).await?;
            count_arrival(&mut tx, place.study, network, now_ms).await?;
            insert_session(&mut tx, place.person, session, now_ms).await?;
            place
        })
    }
}

/// The message for an address that leads nowhere.
const UNKNOWN: &str = "This address leads to no place in a study. Check that you copied all of it.";

async fn find(tx: &mut AnyConnection, key: ResumeKey) -> Result<Option<CrowdPlace>> {
    let row = sqlx::query(
        "SELECT id, study_id, person_id, finished_at, left_as FROM participant
         WHERE id = $1 AND seed = $2 AND seed <> 0 AND kind = 'rating' AND begun_at IS NOT NULL
           AND person_id IS NOT NULL",
    )
    .bind_id(key.participant)
    .bind(key.secret)
    .fetch_optional(tx)
    .await?;
    read_row("participant", row, read_place)
}

/// Whether the crowd rater was given a source, so that there is work to take over.
pub(super) async fn has_begun_work(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
) -> Result<bool> {
    let row = sqlx::query(
        "SELECT 1 FROM assignment x JOIN rater r ON r.id = x.rater_id
         WHERE r.study_id = $1 AND r.person_id = $2 LIMIT 1",
    )
    .bind_id(study)
    .bind_id(person)
    .fetch_optional(tx)
    .await?;
    Ok(row.is_some())
}

/// Gives a place without any source to the browser that asks, and to it alone: the answer to the
/// first request may have been lost. A place with work in it belongs to the browsers that have it.
pub(super) async fn move_place(
    tx: &mut AnyConnection,
    place: &CrowdPlace,
    secret: i64,
) -> Result<()> {
    if has_begun_work(tx, place.study, place.person).await? {
        return Err(Error::Taken(
            "You began in another browser: continue there, or open the address here that its page shows under “Continue \
             in another browser”."
                .into(),
        ));
    }

    sqlx::query("DELETE FROM session WHERE person_id = $1")
        .bind_id(place.person)
        .execute(&mut *tx)
        .await?;
    sqlx::query("UPDATE participant SET seed = $2 WHERE person_id = $1")
        .bind_id(place.person)
        .bind(secret)
        .execute(tx)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_back_and_others_are_none() {
        for secret in [1, -1, i64::MIN, i64::MAX] {
            let participant = ParticipantId(uuid::Uuid::from_u128(u128::MAX / 3));
            let key = ResumeKey {
                participant,
                secret,
            };
            let text = key.to_string();
            assert_eq!(text.len(), 48);
            assert_eq!(text.parse(), Ok(key), "{text}");
        }
        for text in ["", "0", &"0".repeat(32), &"z".repeat(48), &"é".repeat(24)] {
            assert_eq!(text.parse::<ResumeKey>(), Err(NotAResumeKey), "{text}");
        }
    }
}
