//! Sessions of people who are logged in, and failed attempts to log in.

use domain::ids::PersonId;
use sqlx::Row;

use crate::{
    Person, Result, Store,
    columns::{BindId, read_row},
    people,
};

/// The longest time for which a session lasts, however much it is used, in milliseconds.
pub const LONGEST_SESSION_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// A session to begin.
#[derive(Debug, Clone, Copy)]
pub struct NewSession<'a> {
    /// The hash of the cookie's value, never the value.
    pub token_hash: &'a str,
    /// The person who signs in.
    pub person: PersonId,
    /// The hash of the password that was verified or set; `None` for a person without a password.
    pub password_hash: Option<&'a str>,
    /// The name that the browser gives itself.
    pub user_agent: &'a str,
    /// When it begins, in milliseconds since 1970.
    pub now_ms: i64,
    /// When it expires unless it is extended.
    pub expires_ms: i64,
}

/// A valid session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginSession {
    /// The person who is logged in.
    pub person: Person,
    /// When it began, in milliseconds since 1970.
    pub created_at: i64,
    /// When it expires unless it is extended.
    pub expires_at: i64,
    /// When the person last typed their password in it.
    pub confirmed_at: i64,
    /// When it was last extended.
    pub seen_at: i64,
}

/// A session in the list of a person's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionEntry {
    /// The hash of its cookie.
    pub token_hash: String,
    /// When it began, in milliseconds since 1970.
    pub created_at: i64,
    /// When it was last extended.
    pub seen_at: i64,
    /// The name that the browser gave itself when it began; empty if that is not known.
    pub user_agent: String,
}

impl Store {
    /// Begins a session of a person who has just typed their password. Does nothing and returns
    /// false if the account is deactivated or the password has changed meanwhile: verifying takes a
    /// while.
    ///
    /// # Errors
    /// When the token's hash was used before.
    pub async fn create_session(&self, new: &NewSession<'_>) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            // This changes nothing, but waits for a change of the password in progress, and makes
            // the next one wait.
            let is_open = sqlx::query(
                "UPDATE person SET password_hash = password_hash
                 WHERE id = $1 AND COALESCE(password_hash, '') = $2
                   AND disabled_at IS NULL AND erased_at IS NULL",
            )
            .bind_id(new.person)
            .bind(new.password_hash.unwrap_or_default())
            .execute(&mut *tx)
            .await?
            .rows_affected()
                == 1;

            if is_open {
                sqlx::query(
                    "INSERT INTO session
                         (token_hash, person_id, user_agent, created_at, confirmed_at, seen_at, expires_at)
                     VALUES ($1, $2, $3, $4, $4, $4, $5)",
                )
                .bind(new.token_hash)
                .bind_id(new.person)
                .bind(new.user_agent)
                .bind(new.now_ms)
                .bind(new.expires_ms)
                .execute(&mut *tx)
                .await?;
            }
            is_open
        })
    }

    /// The session; `None` if it has ended or expired, or its person's account is deactivated.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn session(&self, token_hash: &str, now_ms: i64) -> Result<Option<LoginSession>> {
        let row = sqlx::query(
            "SELECT p.id AS id, p.name AS name, p.is_admin AS is_admin, p.is_crowd AS is_crowd,
                    p.disabled_at AS disabled_at, s.created_at AS created_at, s.expires_at AS expires_at,
                    s.confirmed_at AS confirmed_at, s.seen_at AS seen_at
             FROM session s JOIN person p ON p.id = s.person_id
             WHERE s.token_hash = $1 AND s.expires_at > $2 AND p.disabled_at IS NULL",
        )
        .bind(token_hash)
        .bind(now_ms)
        .fetch_optional(self.reader())
        .await?;

        read_row("person", row, |row| {
            Ok(LoginSession {
                person: people::read_person(row)?,
                created_at: row.get("created_at")?,
                expires_at: row.get("expires_at")?,
                confirmed_at: row.get("confirmed_at")?,
                seen_at: row.get("seen_at")?,
            })
        })
    }

    /// A person's sessions that have not expired or reached their absolute end, the last used first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sessions(&self, person: PersonId, now_ms: i64) -> Result<Vec<SessionEntry>> {
        let rows = sqlx::query(
            "SELECT token_hash, created_at, seen_at, user_agent
             FROM session WHERE person_id = $1 AND expires_at > $2 AND created_at > $3
             ORDER BY seen_at DESC, created_at DESC, token_hash",
        )
        .bind_id(person)
        .bind(now_ms)
        .bind(now_ms - LONGEST_SESSION_MS)
        .fetch_all(self.reader())
        .await?;

        rows.iter()
            .map(|row| {
                Ok(SessionEntry {
                    token_hash: row.try_get("token_hash")?,
                    created_at: row.try_get("created_at")?,
                    seen_at: row.try_get("seen_at")?,
                    user_agent: row.try_get("user_agent")?,
                })
            })
            .collect()
    }

    /// Extends a session that has not expired until `expires_ms`, and records that it was used.
    /// Returns false if there is none.
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
                "UPDATE session SET expires_at = $3, seen_at = $2
                 WHERE token_hash = $1 AND expires_at > $2",
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

    /// Records that the person has typed their password again in a session that has not expired.
    /// Returns false if there is none.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn confirm_session(&self, token_hash: &str, now_ms: i64) -> Result<bool> {
        in_transaction!(self, |tx| {
            sqlx::query(
                "UPDATE session SET confirmed_at = $2 WHERE token_hash = $1 AND expires_at > $2",
            )
            .bind(token_hash)
            .bind(now_ms)
            .execute(&mut *tx)
            .await?
            .rows_affected()
                == 1
        })
    }

    /// Ends a session. Returns false if it had ended before.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end_session(&self, token_hash: &str) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            sqlx::query("DELETE FROM session WHERE token_hash = $1")
                .bind(token_hash)
                .execute(&mut *tx)
                .await?
                .rows_affected()
                == 1
        })
    }

    /// Ends all sessions of a person except one. Returns the number of sessions ended.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end_other_sessions(&self, person: PersonId, kept_hash: &str) -> Result<u64> {
        let (ended, _) = change_in_transaction!(self, |tx| {
            let ended =
                sqlx::query("DELETE FROM session WHERE person_id = $1 AND token_hash <> $2")
                    .bind_id(person)
                    .bind(kept_hash)
                    .execute(&mut *tx)
                    .await?
                    .rows_affected();
            (ended, ended > 0)
        })?;
        Ok(ended)
    }

    /// Records a failed attempt to log in; `subject` is a name or an address.
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

    /// The times at which logging in failed for `subject`, at or after `since_ms`, newest first,
    /// each with its number of failures.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn login_failures(&self, subject: &str, since_ms: i64) -> Result<Vec<(i64, i64)>> {
        Ok(sqlx::query_as(
            "SELECT at, times FROM login_failure
             WHERE subject = $1 AND at >= $2 ORDER BY at DESC",
        )
        .bind(subject)
        .bind(since_ms)
        .fetch_all(self.reader())
        .await?)
    }

    /// Deletes the failed attempts of `subject`, after it logged in.
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

    /// Deletes sessions that have expired or reached their absolute end, and failed attempts from before `failures_before_ms`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep_sessions(&self, now_ms: i64, failures_before_ms: i64) -> Result<()> {
        in_transaction!(self, |tx| {
            sqlx::query("DELETE FROM session WHERE expires_at <= $1 OR created_at <= $2")
                .bind(now_ms)
                .bind(now_ms - LONGEST_SESSION_MS)
                .execute(&mut *tx)
                .await?;
            sqlx::query("DELETE FROM login_failure WHERE at < $1")
                .bind(failures_before_ms)
                .execute(&mut *tx)
                .await?;
        })
    }
}
