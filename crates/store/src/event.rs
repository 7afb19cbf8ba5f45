//! A study's log of numbered events: append-only, ids and kinds only.

use std::fmt::Display;

use domain::ids::{SourceId, StudyId};
use sqlx::{AnyConnection, Row, any::AnyRow};

use crate::{
    Error, EventKind, Result, Store, bulk,
    columns::{BindId, parse_text},
};

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyEvent {
    /// Its number in the study, from 1, without gaps.
    pub number: i64,
    /// Its kind.
    pub kind: EventKind,
    /// The id of its subject.
    pub subject: String,
}

/// A recent event, with what a list of events shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentEvent {
    /// The event.
    pub event: StudyEvent,
    /// When it happened, in milliseconds since 1970.
    pub at: i64,
    /// The rater's work that it concerns, if it concerns any.
    pub work: Option<EventWork>,
}

/// The work that an event concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventWork {
    /// The rater's pseudonym.
    pub label: String,
    /// The source.
    pub source: SourceId,
    /// The source's name in the files it came from.
    pub key: String,
}

/// Takes the study's next event number and records the event, inside the transaction of the change
/// that it announces. The update locks the study's row, so numbers are committed in order.
pub(crate) async fn record(
    tx: &mut AnyConnection,
    study: StudyId,
    kind: EventKind,
    subject: impl Display,
    now_ms: i64,
) -> Result<i64> {
    let number: i64 =
        sqlx::query_scalar("UPDATE study SET events = events + 1 WHERE id = $1 RETURNING events")
            .bind_id(study)
            .fetch_one(&mut *tx)
            .await?;

    sqlx::query(
        "INSERT INTO event (study_id, number, kind, subject, at) VALUES ($1, $2, $3, $4, $5)",
    )
    .bind_id(study)
    .bind(number)
    .bind(kind.name())
    .bind(subject.to_string())
    .bind(now_ms)
    .execute(tx)
    .await?;

    Ok(number)
}

/// An event whose number was taken while its study was held.
#[derive(Debug)]
pub(crate) struct NumberedEvent {
    pub(crate) number: i64,
    pub(crate) kind: EventKind,
    /// The id of its subject.
    pub(crate) subject: String,
    pub(crate) at_ms: i64,
}

/// Records the study's next events, in the order of their numbers. The study must be held.
pub(crate) async fn record_numbered(
    tx: &mut AnyConnection,
    study: StudyId,
    events: &[NumberedEvent],
) -> Result<()> {
    let Some(newest) = events.last() else {
        return Ok(());
    };

    sqlx::query("UPDATE study SET events = $1 WHERE id = $2")
        .bind(newest.number)
        .bind_id(study)
        .execute(&mut *tx)
        .await?;

    let columns = "event (study_id, number, kind, subject, at)";
    bulk::insert(tx, columns, events, |query, event| {
        query
            .bind_id(study)
            .bind(event.number)
            .bind(event.kind.name())
            .bind(event.subject.clone())
            .bind(event.at_ms)
    })
    .await
}

/// Holds the study until the transaction ends: its other writers wait. Transactions that check
/// before they change begin with this, and so do all that lock several rows, in the same order.
///
/// # Errors
/// [`Error::Refused`] where there is no such study.
pub(crate) async fn lock_study(tx: &mut AnyConnection, study: StudyId) -> Result<()> {
    let locked_rows =
        sqlx::query("UPDATE study SET events = events WHERE id = $1 AND erased_at IS NULL")
            .bind_id(study)
            .execute(tx)
            .await?
            .rows_affected();
    if locked_rows == 1 {
        Ok(())
    } else {
        Err(study_is_gone())
    }
}

/// The refusal for a study that does not exist.
pub(crate) fn study_is_gone() -> Error {
    Error::Refused("This study is no longer there.".into())
}

impl Store {
    /// The number of the study's newest event; 0 before the first, `None` if there is no such
    /// study.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn newest_event(&self, study: StudyId) -> Result<Option<i64>> {
        Ok(sqlx::query_scalar("SELECT events FROM study WHERE id = $1")
            .bind_id(study)
            .fetch_optional(self.reader())
            .await?)
    }

    /// The study's newest events, newest first. Rows that cannot be read are named and left out.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn latest_events(&self, study: StudyId, limit: u32) -> Result<Vec<RecentEvent>> {
        let rows = sqlx::query(
            "SELECT e.number, e.kind, e.subject, e.at, r.label, s.id AS source_id, s.key
             FROM (SELECT number, kind, subject, at FROM event
                   WHERE study_id = $1 ORDER BY number DESC LIMIT $2) e
             LEFT JOIN annotation n ON n.id = e.subject
             LEFT JOIN assignment a ON a.id = COALESCE(n.assignment_id, e.subject)
             LEFT JOIN source s ON s.id = a.source_id
             LEFT JOIN rater r ON r.id = a.rater_id
             ORDER BY e.number DESC",
        )
        .bind_id(study)
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;

        self.readable(study, &rows, |row| {
            let event = read_event(row)?;
            let source: Option<String> = row.try_get("source_id")?;
            let work = match source {
                None => None,
                Some(source) => Some(EventWork {
                    label: row.try_get("label")?,
                    source: parse_text("event", event.number, "source_id", &source)?,
                    key: row.try_get("key")?,
                }),
            };

            let at = row.try_get("at")?;
            Ok(RecentEvent { event, at, work })
        })
    }
}

fn read_event(row: &AnyRow) -> Result<StudyEvent> {
    let number: i64 = row.try_get("number")?;
    Ok(StudyEvent {
        number,
        kind: parse_text("event", number, "kind", row.try_get("kind")?)?,
        subject: row.try_get("subject")?,
    })
}
