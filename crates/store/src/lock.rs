//! A study locked for writing.

use domain::{ids::StudyId, study::StudySettings};
use sqlx::{AnyConnection, Row};

use crate::{
    Error, Result,
    columns::{self, BindId},
    event,
};

/// A study whose row the transaction has locked.
pub(crate) struct LockedStudy {
    /// The number of its newest event.
    pub(crate) events: i64,
    /// The lead's settings.
    pub(crate) settings: StudySettings,
    /// Whether its lead closed it.
    pub(crate) is_closed: bool,
}

/// Why nothing in a closed study changes.
pub(crate) const CLOSED: &str = "This study is closed: nothing in it can be changed.";

/// Holds the study until the transaction ends, as [`event::lock_study`] does, and refuses where it is
/// closed.
pub(crate) async fn lock_open_study(tx: &mut AnyConnection, study: StudyId) -> Result<LockedStudy> {
    let locked_study = lock_study(tx, study).await?;
    if locked_study.is_closed {
        return Err(Error::Refused(CLOSED.into()));
    }
    Ok(locked_study)
}

/// Holds the study until the transaction ends, closed or not.
pub(crate) async fn lock_study(tx: &mut AnyConnection, study: StudyId) -> Result<LockedStudy> {
    let row = sqlx::query(
        "UPDATE study SET events = events WHERE id = $1 AND erased_at IS NULL
         RETURNING events, settings, closed_at",
    )
    .bind_id(study)
    .fetch_optional(tx)
    .await?;
    let row = row.ok_or_else(event::study_is_gone)?;
    Ok(LockedStudy {
        events: row.try_get("events")?,
        settings: columns::parse_json("study", study, "settings", row.try_get("settings")?)?,
        is_closed: row.try_get::<Option<i64>, _>("closed_at")?.is_some(),
    })
}
