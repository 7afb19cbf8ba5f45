//! A study held for writing.

use domain::{ids::StudyId, study::Settings};
use sqlx::{AnyConnection, Row};

use crate::{Error, Result, event, read};

/// What a transaction that holds a study knows of it.
pub(crate) struct Held {
    /// The number of its newest event.
    pub(crate) events: i64,
    /// What its lead set.
    pub(crate) settings: Settings,
    /// Whether its lead closed it.
    pub(crate) is_closed: bool,
}

/// Why nothing in a closed study changes.
pub(crate) const CLOSED: &str = "This study is closed: nothing in it can be changed.";

/// Holds the study until the transaction ends, as [`event::hold`] does, and refuses where it is
/// closed.
pub(crate) async fn study(tx: &mut AnyConnection, study: StudyId) -> Result<Held> {
    let held = even_closed(tx, study).await?;
    if held.is_closed {
        return Err(Error::Refused(CLOSED.into()));
    }
    Ok(held)
}

/// Holds the study until the transaction ends, closed or not.
pub(crate) async fn even_closed(tx: &mut AnyConnection, study: StudyId) -> Result<Held> {
    event::hold(tx, study).await?;
    let row = sqlx::query("SELECT events, settings, closed_at FROM study WHERE id = $1")
        .bind(study.to_string())
        .fetch_one(tx)
        .await?;
    Ok(Held {
        events: row.try_get("events")?,
        settings: read::json("study", study, "settings", row.try_get("settings")?)?,
        is_closed: row.try_get::<Option<i64>, _>("closed_at")?.is_some(),
    })
}
