//! A study locked for writing.

use domain::{ids::StudyId, study::StudySettings};
use sqlx::AnyConnection;

use crate::{
    Error, Result,
    columns::{BindId, TableRow},
    event,
};

/// A study whose row the transaction has locked.
pub(crate) struct LockedStudy {
    /// The number of its newest event.
    pub(crate) events: i64,
    /// The lead's settings.
    pub(crate) settings: StudySettings,
    /// Why nothing in it changes, if its lead closed or archived it.
    pub(crate) closed_reason: Option<&'static str>,
}

/// Why nothing in a closed study changes.
const CLOSED: &str = "This study is closed: nothing in it can be changed.";

/// Why nothing in an archived study changes, its settings included.
const ARCHIVED: &str = "This study is archived: nothing in it can be changed until its lead takes it out of the archive, \
     in its settings.";

/// Refuses if the study is archived, and keeps it from being archived until the transaction ends.
pub(crate) async fn refuse_archived(tx: &mut AnyConnection, study: StudyId) -> Result<()> {
    let query = "UPDATE study SET events = events WHERE id = $1 RETURNING archived_at";
    let archived_at: Option<Option<i64>> = sqlx::query_scalar(query)
        .bind_id(study)
        .fetch_optional(tx)
        .await?;
    match archived_at.flatten() {
        Some(_) => Err(Error::Refused(ARCHIVED.into())),
        None => Ok(()),
    }
}

/// Holds the study until the transaction ends, and refuses if it is archived.
pub(crate) async fn lock_unarchived_study(tx: &mut AnyConnection, study: StudyId) -> Result<()> {
    event::lock_study(tx, study).await?;
    refuse_archived(tx, study).await
}

/// Holds the study until the transaction ends, as [`event::lock_study`] does, and refuses if it is
/// closed.
pub(crate) async fn lock_open_study(tx: &mut AnyConnection, study: StudyId) -> Result<LockedStudy> {
    let locked_study = lock_study(tx, study).await?;
    if let Some(reason) = locked_study.closed_reason {
        return Err(Error::Refused(reason.into()));
    }
    Ok(locked_study)
}

/// Holds the study until the transaction ends, closed or not.
pub(crate) async fn lock_study(tx: &mut AnyConnection, study: StudyId) -> Result<LockedStudy> {
    let row = sqlx::query(
        "UPDATE study SET events = events WHERE id = $1 AND erased_at IS NULL
         RETURNING events, settings, closed_at, archived_at",
    )
    .bind_id(study)
    .fetch_optional(tx)
    .await?;

    let row = row.ok_or_else(event::study_is_gone)?;
    let row = TableRow::named("study", &row, study);
    let closed_reason = match (row.is_set("archived_at")?, row.is_set("closed_at")?) {
        (true, _) => Some(ARCHIVED),
        (false, true) => Some(CLOSED),
        (false, false) => None,
    };

    Ok(LockedStudy {
        events: row.get("events")?,
        settings: row.json("settings")?,
        closed_reason,
    })
}
