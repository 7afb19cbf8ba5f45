//! Studies: their settings, opening and closing.

mod access;

use domain::{
    ids::{PersonId, StudyId},
    study::{Role, Slug, StudySettings},
};
use sqlx::{AnyConnection, Row as _};

pub use self::access::{StudyAccess, StudyEntry};
use crate::{
    Error, EventKind, Result, Store,
    bulk::BulkQuery,
    columns::{self, BindId, TableRow, read_row, read_rows},
    event, lock, places, removed_groups, source_priorities,
    webhooks::{self, FinishedStatus, WebhookNotice},
};

/// A study.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// Its id.
    pub id: StudyId,
    /// Its short name.
    pub slug: Slug,
    /// Its name for people.
    pub name: String,
    /// The guidelines for judging, as Markdown.
    pub guidelines: String,
    /// The information sheet to which annotators consent, as Markdown; empty if there is none.
    pub information: String,
    /// The lead's settings.
    pub settings: StudySettings,
    /// The number of its newest event.
    pub events: i64,
    /// When it was created, in milliseconds since 1970.
    pub created_at: i64,
    /// When it was closed; `None` while it is open.
    pub closed_at: Option<i64>,
    /// When it was archived; `None` while it is not.
    pub archived_at: Option<i64>,
    /// When its personal data was last erased at the end of its retention period.
    pub personal_data_erased_at: Option<i64>,
}

impl Study {
    /// When the study's personal data will be erased; `None` while the study is open, if the data
    /// is kept as long as the study, and once it is erased.
    #[must_use]
    pub fn personal_data_due_at(&self) -> Option<i64> {
        let closed_at = self.closed_at?;
        let erased = self
            .personal_data_erased_at
            .is_some_and(|at| at >= closed_at);
        let due_at = self.settings.retention.due_at(closed_at);
        due_at.filter(|_| !erased)
    }
}

/// A study to create.
#[derive(Debug, Clone)]
pub struct NewStudy<'a> {
    /// Its id.
    pub id: StudyId,
    /// Its short name.
    pub slug: &'a Slug,
    /// Its name for people.
    pub name: &'a str,
    /// The lead's settings.
    pub settings: &'a StudySettings,
    /// The guidelines for annotators, as Markdown; empty for none.
    pub guidelines: &'a str,
    /// The lead; `None` for a study made from the command line.
    pub lead: Option<PersonId>,
}

impl Store {
    /// Creates a study, led by its creator.
    ///
    /// # Errors
    /// [`Error::Taken`] where another study has the short name.
    pub async fn create_study(&self, new: &NewStudy<'_>, now_ms: i64) -> Result<()> {
        in_transaction!(self, |tx| {
            insert_study(&mut tx, new, now_ms).await?;
            record(&mut tx, new.id, now_ms).await?;
        })
    }

    /// The study of that short name, for callers that need no permission: commands and jobs. A request uses
    /// [`Store::study_access`].
    ///
    /// # Errors
    /// When the database fails or the row does not read.
    pub async fn study_by_slug(&self, slug: &Slug) -> Result<Option<Study>> {
        let row = sqlx::query(
            "SELECT id, slug, name, guidelines, information, settings, events, created_at, closed_at,
                    archived_at, personal_data_erased_at
             FROM study WHERE slug = $1 AND erased_at IS NULL",
        )
        .bind(slug.as_str())
        .fetch_optional(self.reader())
        .await?;
        read_row("study", row, read_study)
    }

    /// The study, for callers that need no permission: jobs and live panels.
    ///
    /// # Errors
    /// When the database fails or the row does not read.
    pub async fn study(&self, id: StudyId) -> Result<Option<Study>> {
        let row = sqlx::query(
            "SELECT id, slug, name, guidelines, information, settings, events, created_at, closed_at,
                    archived_at, personal_data_erased_at
             FROM study WHERE id = $1 AND erased_at IS NULL",
        )
        .bind_id(id)
        .fetch_optional(self.reader())
        .await?;
        read_row("study", row, read_study)
    }

    /// Every study, by short name, for commands and for the first screen of the live panels.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn studies(&self) -> Result<Vec<Study>> {
        let rows = sqlx::query(
            "SELECT id, slug, name, guidelines, information, settings, events, created_at, closed_at,
                    archived_at, personal_data_erased_at
             FROM study WHERE erased_at IS NULL",
        )
        .fetch_all(self.reader())
        .await?;
        let mut studies: Vec<_> = read_rows("study", &rows, read_study)?;
        studies.sort_by(|a, b| a.slug.cmp(&b.slug));
        Ok(studies)
    }

    /// Sets the name, the guidelines and the information sheet. Returns false if there is no such
    /// study.
    ///
    /// # Errors
    /// Refused where it is archived.
    pub async fn describe_study(
        &self,
        id: StudyId,
        name: &str,
        guidelines: &str,
        information: &str,
        now_ms: i64,
    ) -> Result<bool> {
        in_transaction!(self, |tx| {
            lock::refuse_archived(&mut tx, id).await?;
            let change = sqlx::query(
                "UPDATE study SET name = $2, guidelines = $3, information = $4 WHERE id = $1",
            )
            .bind_id(id)
            .bind(name)
            .bind(guidelines)
            .bind(information);

            execute_change(&mut tx, id, change, now_ms).await?
        })
    }

    /// Sets the settings. Returns false if there is no such study.
    ///
    /// # Errors
    /// Refused where it is archived.
    pub async fn set_settings(
        &self,
        id: StudyId,
        settings: &StudySettings,
        now_ms: i64,
    ) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            lock::refuse_archived(&mut tx, id).await?;
            let change = sqlx::query("UPDATE study SET settings = $2 WHERE id = $1")
                .bind_id(id)
                .bind(columns::to_json(settings));
            follow_settings(&mut tx, id, settings, now_ms).await?;
            execute_change(&mut tx, id, change, now_ms).await?
        })
    }

    /// Sets the name and the settings. Returns false if there is no such study.
    ///
    /// # Errors
    /// Refused where it is archived.
    pub async fn set_name_and_settings(
        &self,
        id: StudyId,
        name: &str,
        settings: &StudySettings,
        now_ms: i64,
    ) -> Result<bool> {
        in_transaction!(self, |tx| {
            lock::refuse_archived(&mut tx, id).await?;
            let change = sqlx::query("UPDATE study SET name = $2, settings = $3 WHERE id = $1")
                .bind_id(id)
                .bind(name)
                .bind(columns::to_json(settings));
            follow_settings(&mut tx, id, settings, now_ms).await?;
            execute_change(&mut tx, id, change, now_ms).await?
        })
    }

    /// Closes the study, so that nothing in it is assigned any longer. Returns false if it is
    /// closed or unknown.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn close_study(&self, id: StudyId, now_ms: i64) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            let change =
                sqlx::query("UPDATE study SET closed_at = $2 WHERE id = $1 AND closed_at IS NULL")
                    .bind_id(id)
                    .bind(now_ms);
            let closed = execute_change(&mut tx, id, change, now_ms).await?;
            if closed {
                announce_end(&mut tx, id, FinishedStatus::Closed, now_ms).await?;
            }
            closed
        })
    }

    /// Archives the study: closes it if it is open, and prevents all further changes. Returns false
    /// if it is archived or unknown.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn archive_study(&self, id: StudyId, now_ms: i64) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            let change = sqlx::query(
                "UPDATE study SET archived_at = $2, closed_at = COALESCE(closed_at, $2)
                 WHERE id = $1 AND archived_at IS NULL",
            )
            .bind_id(id)
            .bind(now_ms);
            let archived = execute_change(&mut tx, id, change, now_ms).await?;
            if archived {
                announce_end(&mut tx, id, FinishedStatus::Archived, now_ms).await?;
            }
            archived
        })
    }

    /// Takes the study out of the archive; it stays closed. Returns false if it is not archived or
    /// unknown.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn unarchive_study(&self, id: StudyId, now_ms: i64) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            let change = sqlx::query(
                "UPDATE study SET archived_at = NULL WHERE id = $1 AND archived_at IS NOT NULL",
            )
            .bind_id(id);
            execute_change(&mut tx, id, change, now_ms).await?
        })
    }

    /// Reopens a closed study. Returns false if it is open or unknown.
    ///
    /// # Errors
    /// Refused where it is archived.
    pub async fn reopen_study(&self, id: StudyId, now_ms: i64) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            lock::refuse_archived(&mut tx, id).await?;
            let change = sqlx::query(
                "UPDATE study SET closed_at = NULL WHERE id = $1 AND closed_at IS NOT NULL",
            )
            .bind_id(id);
            execute_change(&mut tx, id, change, now_ms).await?
        })
    }
}

/// Inserts the row of a study, and makes its creator its lead.
pub(crate) async fn insert_study(
    tx: &mut AnyConnection,
    new: &NewStudy<'_>,
    now_ms: i64,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO study (id, slug, name, settings, guidelines, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind_id(new.id)
    .bind(new.slug.as_str())
    .bind(new.name)
    .bind(columns::to_json(new.settings))
    .bind(new.guidelines)
    .bind(now_ms)
    .execute(&mut *tx)
    .await
    .map_err(|error| {
        let error = Error::from(error);
        if error.is_unique_violation() {
            let slug = new.slug;
            Error::Taken(format!("The short name “{slug}” is taken: use another."))
        } else {
            error
        }
    })?;

    if let Some(lead) = new.lead {
        sqlx::query(
            "INSERT INTO member (study_id, person_id, role, joined_at)
             VALUES ($1, $2, $3, $4)",
        )
        .bind_id(new.id)
        .bind_id(lead)
        .bind(Role::Lead.name())
        .bind(now_ms)
        .execute(tx)
        .await?;
    }
    Ok(())
}

/// Adapts members, links and places to the groups of new settings, and sources to their order.
async fn follow_settings(
    tx: &mut AnyConnection,
    id: StudyId,
    settings: &StudySettings,
    now_ms: i64,
) -> Result<()> {
    removed_groups::leave_removed_groups(tx, id, settings, now_ms).await?;
    source_priorities::follow_order(tx, id, settings).await?;
    places::keep_group_places(tx, id, settings).await
}

async fn record(tx: &mut AnyConnection, id: StudyId, now_ms: i64) -> Result<i64> {
    event::record(tx, id, EventKind::Study, id, now_ms).await
}

/// Executes a change of the study, and records it if it changed anything. Returns whether it did.
async fn execute_change(
    tx: &mut AnyConnection,
    id: StudyId,
    change: BulkQuery,
    now_ms: i64,
) -> Result<bool> {
    let changed = change.execute(&mut *tx).await?.rows_affected() > 0;
    if changed {
        record(tx, id, now_ms).await?;
    }
    Ok(changed)
}

/// Announces to the study's webhooks that it is finished.
async fn announce_end(
    tx: &mut AnyConnection,
    id: StudyId,
    status: FinishedStatus,
    now_ms: i64,
) -> Result<()> {
    webhooks::announce(tx, id, &WebhookNotice::StudyFinished { status }, now_ms).await
}

/// The study's settings.
///
/// # Errors
/// Refused where the study no longer exists.
pub(crate) async fn load_settings(
    connection: &mut AnyConnection,
    study: StudyId,
) -> Result<StudySettings> {
    let row = sqlx::query("SELECT settings FROM study WHERE id = $1 AND erased_at IS NULL")
        .bind_id(study)
        .fetch_optional(connection)
        .await?
        .ok_or_else(event::study_is_gone)?;
    columns::parse_json("study", study, "settings", row.try_get("settings")?)
}

fn read_study(row: &TableRow<'_>) -> Result<Study> {
    Ok(Study {
        id: row.parse("id")?,
        slug: row.parse("slug")?,
        name: row.get("name")?,
        guidelines: row.get("guidelines")?,
        information: row.get("information")?,
        settings: row.json("settings")?,
        events: row.get("events")?,
        created_at: row.get("created_at")?,
        closed_at: row.get("closed_at")?,
        archived_at: row.get("archived_at")?,
        personal_data_erased_at: row.get("personal_data_erased_at")?,
    })
}
