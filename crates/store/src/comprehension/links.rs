//! Links by which participants without an account take part, one session for each.

use domain::ids::StudyId;
use sqlx::{AnyConnection, Row, any::AnyRow};

use crate::{Error, Result, Store, event};

/// A link that is to be made.
#[derive(Debug, Clone, Copy)]
pub struct NewLink<'a> {
    /// SHA-256 of its token.
    pub token_hash: &'a str,
    /// What the lead calls it, such as a course or a batch.
    pub label: &'a str,
    /// When it stops working.
    pub expires_at: i64,
    /// How many sessions it may begin.
    pub uses: u32,
}

/// A link as the lead sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// SHA-256 of its token.
    pub token_hash: String,
    /// The study that it leads to.
    pub study: StudyId,
    /// What the lead calls it.
    pub label: String,
    /// When it was made.
    pub created_at: i64,
    /// When it stops working.
    pub expires_at: i64,
    /// Sessions that it may still begin.
    pub uses_left: i64,
    /// When it was taken back.
    pub revoked_at: Option<i64>,
}

impl Link {
    /// Whether a session may begin by it.
    ///
    /// # Errors
    /// [`Error::Refused`] with the reason why not.
    pub fn check(&self, now_ms: i64) -> Result<()> {
        let why_not = if self.revoked_at.is_some() {
            "was taken back"
        } else if self.expires_at <= now_ms {
            "has expired"
        } else if self.uses_left <= 0 {
            "has been used as often as it may be"
        } else {
            return Ok(());
        };
        Err(Error::Refused(format!(
            "This link {why_not}: ask whoever sent it for a new one."
        )))
    }
}

impl Store {
    /// Makes a link.
    ///
    /// # Errors
    /// When the database fails, or there is no such study.
    pub async fn create_reading_link(
        &self,
        study: StudyId,
        new: &NewLink<'_>,
        now_ms: i64,
    ) -> Result<()> {
        in_transaction!(self, |tx| {
            event::hold(&mut tx, study).await?;
            sqlx::query(
                "INSERT INTO reading_link (token_hash, study_id, label, created_at, expires_at,
                                           uses_left)
                 VALUES ($1, $2, $3, $4, $5, $6)",
            )
            .bind(new.token_hash)
            .bind(study.to_string())
            .bind(new.label)
            .bind(now_ms)
            .bind(new.expires_at)
            .bind(i64::from(new.uses))
            .execute(&mut *tx)
            .await?;
        })
    }

    /// The study's links, newest first.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn reading_links(&self, study: StudyId) -> Result<Vec<Link>> {
        let rows = sqlx::query(
            "SELECT token_hash, study_id, label, created_at, expires_at, uses_left, revoked_at
             FROM reading_link WHERE study_id = $1 ORDER BY created_at DESC, token_hash",
        )
        .bind(study.to_string())
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(link).collect()
    }

    /// The link, whether it works or not; `None` where there is none.
    ///
    /// # Errors
    /// When the database fails or the row does not read.
    pub async fn reading_link(&self, token_hash: &str) -> Result<Option<Link>> {
        let mut reader = self.reader().acquire().await?;
        look_up(&mut reader, token_hash).await
    }

    /// Takes a link of the study back. False where there is none, or it was before.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revoke_reading_link(
        &self,
        study: StudyId,
        token_hash: &str,
        now_ms: i64,
    ) -> Result<bool> {
        in_transaction!(self, |tx| {
            sqlx::query(
                "UPDATE reading_link SET revoked_at = $3
                 WHERE study_id = $1 AND token_hash = $2 AND revoked_at IS NULL",
            )
            .bind(study.to_string())
            .bind(token_hash)
            .bind(now_ms)
            .execute(&mut *tx)
            .await?
            .rows_affected()
                == 1
        })
    }
}

pub(super) async fn look_up(tx: &mut AnyConnection, token_hash: &str) -> Result<Option<Link>> {
    let row = sqlx::query(
        "SELECT token_hash, study_id, label, created_at, expires_at, uses_left, revoked_at
         FROM reading_link WHERE token_hash = $1",
    )
    .bind(token_hash)
    .fetch_optional(tx)
    .await?;
    row.as_ref().map(link).transpose()
}

fn link(row: &AnyRow) -> Result<Link> {
    let token_hash: String = row.try_get("token_hash")?;
    let study = row.try_get("study_id")?;
    Ok(Link {
        study: crate::read::parsed("reading_link", &token_hash, "study_id", study)?,
        label: row.try_get("label")?,
        created_at: row.try_get("created_at")?,
        expires_at: row.try_get("expires_at")?,
        uses_left: row.try_get("uses_left")?,
        revoked_at: row.try_get("revoked_at")?,
        token_hash,
    })
}
