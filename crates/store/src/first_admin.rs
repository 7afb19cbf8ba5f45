//! The one-time link that makes the first administrator. A server without any prints it.

use domain::ids::PersonId;
use sqlx::AnyConnection;

use crate::{Error, Person, Result, Store, people};

impl Store {
    /// Stores the link, in place of earlier ones. Does nothing and returns false if there is an
    /// administrator already.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn create_first_admin_link(
        &self,
        token_hash: &str,
        now_ms: i64,
        expires_ms: i64,
    ) -> Result<bool> {
        in_transaction!(self, |tx| {
            let is_needed = !has_admin(&mut tx).await?;

            if is_needed {
                sqlx::query("DELETE FROM invitation WHERE study_id IS NULL")
                    .execute(&mut *tx)
                    .await?;
                sqlx::query(
                    "INSERT INTO invitation (token_hash, role, created_at, expires_at, uses_left)
                     VALUES ($1, 'admin', $2, $3, 1)",
                )
                .bind(token_hash)
                .bind(now_ms)
                .bind(expires_ms)
                .execute(&mut *tx)
                .await?;
            }
            is_needed
        })
    }

    /// Whether the link would make an administrator.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn is_first_admin_link(&self, token_hash: &str, now_ms: i64) -> Result<bool> {
        let row = sqlx::query(
            "SELECT 1 FROM invitation
             WHERE study_id IS NULL AND token_hash = $1 AND uses_left > 0 AND expires_at > $2",
        )
        .bind(token_hash)
        .bind(now_ms)
        .fetch_optional(self.reader())
        .await?;
        Ok(row.is_some())
    }

    /// Makes the first administrator with the link, which works exactly once.
    ///
    /// # Errors
    /// [`Error::Refused`] where the link does not work or the name is not allowed, [`Error::Taken`]
    /// where the name is taken; then the link still works.
    pub async fn redeem_first_admin_link(
        &self,
        token_hash: &str,
        id: PersonId,
        name: &str,
        password_hash: &str,
        now_ms: i64,
    ) -> Result<Person> {
        in_transaction!(self, |tx| {
            // Uses up all such links at once: if there were two, only one person would get through.
            let used_up: Vec<(String, i64)> = sqlx::query_as(
                "UPDATE invitation SET uses_left = 0
                 WHERE study_id IS NULL AND uses_left > 0 RETURNING token_hash, expires_at",
            )
            .fetch_all(&mut *tx)
            .await?;

            let works = used_up
                .iter()
                .any(|(link, expires_at)| link == token_hash && *expires_at > now_ms);
            if !works || has_admin(&mut tx).await? {
                return Err(Error::Refused(
                    "This link no longer works: restart the server for a new one, or add an \
                     administrator by command line."
                        .into(),
                ));
            }

            people::insert(&mut tx, id, name, Some(password_hash), true, now_ms).await?
        })
    }
}

async fn has_admin(tx: &mut AnyConnection) -> Result<bool> {
    let row =
        sqlx::query("SELECT 1 FROM person WHERE is_admin = 1 AND disabled_at IS NULL LIMIT 1")
            .fetch_optional(tx)
            .await?;
    Ok(row.is_some())
}
