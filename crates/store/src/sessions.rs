//! Who is logged in, and who tried to be.

use domain::ids::PersonId;
use sqlx::Row;

use crate::{Person, Result, Store, columns::BindId, people};

/// A session that lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginSession {
    /// Who is logged in.
    pub person: Person,
    /// When it ends unless it is extended, in milliseconds since 1970.
    pub expires_at: i64,
}

impl Store {
    /// Begins a session. `token_hash` is the hash of what the cookie says, never the cookie.
    ///
    /// # Errors
    /// When there is no such person or the hash was used before.
    pub async fn create_session(
        &self,
        token_hash: &str,
        person: PersonId,
        now_ms: i64,
        expires_ms: i64,
    ) -> Result<()> {
        in_transaction!(self, |tx| {
            sqlx::query(
                "INSERT INTO session (token_hash, person_id, created_at, expires_at)
                 VALUES ($1, $2, $3, $4)",
            )
            .bind(token_hash)
            .bind_id(person)
            .bind(now_ms)
            .bind(expires_ms)
            .execute(&mut *tx)
            .await?;
        })
    }

    /// The session; `None` where it has ended or expired, or its person is shut out.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn session(&self, token_hash: &str, now_ms: i64) -> Result<Option<LoginSession>> {
        let row = sqlx::query(
            "SELECT p.id AS id, p.name AS name, p.is_admin AS is_admin, p.disabled_at AS disabled_at,
                    s.expires_at AS expires_at
             FROM session s JOIN person p ON p.id = s.person_id
             WHERE s.token_hash = $1 AND s.expires_at > $2 AND p.disabled_at IS NULL",
        )
        .bind(token_hash)
        .bind(now_ms)
        .fetch_optional(self.reader())
        .await?;
        row.map(|row| {
            Ok(LoginSession {
                person: people::read_person(&row)?,
                expires_at: row.try_get("expires_at")?,
            })
        })
        .transpose()
    }

    /// Lets a session that has not expired last until `expires_ms`. False where there is none.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn extend_session(
        &self,
        token_hash: &str,
        now_ms: i64,
        expires_ms: i64,
    ) -> Result<bool> {
        in_transaction!(self, |tx| {
            sqlx::query(
                "UPDATE session SET expires_at = $3 WHERE token_hash = $1 AND expires_at > $2",
            )
            .bind(token_hash)
            .bind(now_ms)
            .bind(expires_ms)
            .execute(&mut *tx)
            .await?
            .rows_affected()
                == 1
        })
    }

    /// Ends a session; ending it twice is no error.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end_session(&self, token_hash: &str) -> Result<()> {
        in_transaction!(self, |tx| {
            sqlx::query("DELETE FROM session WHERE token_hash = $1")
                .bind(token_hash)
                .execute(&mut *tx)
                .await?;
        })
    }

    /// Notes a failed attempt to log in; `subject` is a name or an address.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn record_login_failure(&self, subject: &str, now_ms: i64) -> Result<()> {
        in_transaction!(self, |tx| {
            sqlx::query(
                "INSERT INTO login_failure (subject, at, times) VALUES ($1, $2, 1)
                 ON CONFLICT (subject, at) DO UPDATE SET times = login_failure.times + 1",
            )
            .bind(subject)
            .bind(now_ms)
            .execute(&mut *tx)
            .await?;
        })
    }

    /// When logging in failed for `subject` at or after `since_ms`, newest first, with how often at
    /// each of these times.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn login_failures(&self, subject: &str, since_ms: i64) -> Result<Vec<(i64, i64)>> {
        let rows = sqlx::query(
            "SELECT at, times FROM login_failure
             WHERE subject = $1 AND at >= $2 ORDER BY at DESC",
        )
        .bind(subject)
        .bind(since_ms)
        .fetch_all(self.reader())
        .await?;
        rows.iter()
            .map(|row| Ok((row.try_get("at")?, row.try_get("times")?)))
            .collect()
    }

    /// Forgets the failed attempts of `subject`, once it has logged in.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn clear_login_failures(&self, subject: &str) -> Result<()> {
        in_transaction!(self, |tx| {
            sqlx::query("DELETE FROM login_failure WHERE subject = $1")
                .bind(subject)
                .execute(&mut *tx)
                .await?;
        })
    }

    /// Deletes sessions that have expired and failed attempts from before `failures_before_ms`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep_sessions(&self, now_ms: i64, failures_before_ms: i64) -> Result<()> {
        in_transaction!(self, |tx| {
            sqlx::query("DELETE FROM session WHERE expires_at <= $1")
                .bind(now_ms)
                .execute(&mut *tx)
                .await?;
            sqlx::query("DELETE FROM login_failure WHERE at < $1")
                .bind(failures_before_ms)
                .execute(&mut *tx)
                .await?;
        })
    }
}
