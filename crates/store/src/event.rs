//! What happened in a study, by number: append-only, ids and kinds only.

use domain::ids::StudyId;
use sqlx::{AnyConnection, Row};

use crate::{Error, Result, Store};

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyEvent {
    /// Its number in the study, from 1, without gaps.
    pub number: i64,
    /// What happened, such as `rating`.
    pub kind: String,
    /// The id of what it happened to.
    pub subject: String,
}

/// Takes the study's next event number and records the event, inside the transaction of what it
/// announces. The update locks the study's row, so numbers are committed in order.
pub(crate) async fn record(
    tx: &mut AnyConnection,
    study: StudyId,
    kind: &str,
    subject: &str,
    now_ms: i64,
) -> Result<i64> {
    let number: i64 =
        sqlx::query("UPDATE study SET events = events + 1 WHERE id = $1 RETURNING events")
            .bind(study.to_string())
            .fetch_one(&mut *tx)
            .await?
            .try_get(0)?;
    sqlx::query(
        "INSERT INTO event (study_id, number, kind, subject, at) VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(study.to_string())
    .bind(number)
    .bind(kind)
    .bind(subject)
    .bind(now_ms)
    .execute(tx)
    .await?;
    Ok(number)
}

/// Holds the study until the transaction ends: whoever else writes in it waits. What checks before
/// it changes begins with this, and so do all that lock several rows, in the same order.
///
/// # Errors
/// [`Error::Refused`] where there is no such study.
pub(crate) async fn lock_study(tx: &mut AnyConnection, study: StudyId) -> Result<()> {
    let held = sqlx::query("UPDATE study SET events = events WHERE id = $1")
        .bind(study.to_string())
        .execute(tx)
        .await?
        .rows_affected();
    if held == 1 {
        Ok(())
    } else {
        Err(Error::Refused("This study is no longer there.".into()))
    }
}

impl Store {
    /// The number of the study's newest event; 0 before the first, `None` where there is no study.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn newest_event(&self, study: StudyId) -> Result<Option<i64>> {
        let row = sqlx::query("SELECT events FROM study WHERE id = $1")
            .bind(study.to_string())
            .fetch_optional(self.reader())
            .await?;
        Ok(row.map(|row| row.try_get(0)).transpose()?)
    }

    /// The study's newest events with their times, in milliseconds since 1970, newest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn latest_events(
        &self,
        study: StudyId,
        limit: u32,
    ) -> Result<Vec<(StudyEvent, i64)>> {
        let rows = sqlx::query(
            "SELECT number, kind, subject, at FROM event
             WHERE study_id = $1 ORDER BY number DESC LIMIT $2",
        )
        .bind(study.to_string())
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;
        rows.iter()
            .map(|row| {
                let event = StudyEvent {
                    number: row.try_get("number")?,
                    kind: row.try_get("kind")?,
                    subject: row.try_get("subject")?,
                };
                Ok((event, row.try_get("at")?))
            })
            .collect()
    }

    /// The study's events with a number above `after`, oldest first, at most `limit`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn events_after(
        &self,
        study: StudyId,
        after: i64,
        limit: u32,
    ) -> Result<Vec<StudyEvent>> {
        let rows = sqlx::query(
            "SELECT number, kind, subject FROM event
             WHERE study_id = $1 AND number > $2 ORDER BY number LIMIT $3",
        )
        .bind(study.to_string())
        .bind(after)
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;
        rows.iter()
            .map(|row| {
                Ok(StudyEvent {
                    number: row.try_get("number")?,
                    kind: row.try_get("kind")?,
                    subject: row.try_get("subject")?,
                })
            })
            .collect()
    }
}
