//! Devices on which people signed in before.

use domain::ids::PersonId;
use sqlx::AnyConnection;

use crate::{Result, Store, columns::BindId};

/// The largest number of a person's devices; a further one replaces the one that was used longest
/// ago.
const MOST_DEVICES: i64 = 20;

impl Store {
    /// The device whose cookie has this hash, if the person of that name, as
    /// [`crate::people::folded_name`] writes it, signed in there before. It stays the same when the
    /// cookie gets a new value, and differs from person to person.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn known_device(
        &self,
        token_hash: &str,
        folded_name: &str,
    ) -> Result<Option<String>> {
        Ok(sqlx::query_scalar(
            "SELECT d.id AS id FROM known_device d JOIN person p ON p.id = d.person_id
             WHERE d.token_hash = $1 AND p.folded_name = $2",
        )
        .bind(token_hash)
        .bind(folded_name)
        .fetch_optional(self.reader())
        .await?)
    }

    /// Records that the person signed in on a device, whose cookie has a new value from now on.
    /// `before` is the hash of the old value, which no longer names the device for anybody.
    ///
    /// # Errors
    /// When there is no such person.
    pub async fn remember_device(
        &self,
        before: Option<&str>,
        token_hash: &str,
        person: PersonId,
        now_ms: i64,
    ) -> Result<()> {
        in_transaction!(self, |tx| {
            if let Some(before) = before {
                sqlx::query("UPDATE known_device SET token_hash = $2 WHERE token_hash = $1")
                    .bind(before)
                    .bind(token_hash)
                    .execute(&mut *tx)
                    .await?;
            }

            sqlx::query(
                "INSERT INTO known_device (token_hash, person_id, id, used_at) VALUES ($1, $2, $1, $3)
                 ON CONFLICT (token_hash, person_id) DO UPDATE SET used_at = excluded.used_at",
            )
            .bind(token_hash)
            .bind_id(person)
            .bind(now_ms)
            .execute(&mut *tx)
            .await?;

            sqlx::query(
                "DELETE FROM known_device WHERE person_id = $1 AND token_hash NOT IN (
                     SELECT token_hash FROM known_device WHERE person_id = $1
                     ORDER BY CASE WHEN token_hash = $2 THEN 0 ELSE 1 END, used_at DESC, token_hash
                     LIMIT $3)",
            )
            .bind_id(person)
            .bind(token_hash)
            .bind(MOST_DEVICES)
            .execute(&mut *tx)
            .await?;
        })
    }

    /// Forgets devices on which the person last signed in before `unused_since_ms`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep_known_devices(&self, unused_since_ms: i64) -> Result<()> {
        in_transaction!(self, |tx| {
            sqlx::query("DELETE FROM known_device WHERE used_at < $1")
                .bind(unused_since_ms)
                .execute(&mut *tx)
                .await?;
        })
    }
}

/// Forgets all devices of a person inside a transaction.
pub(crate) async fn forget_devices(tx: &mut AnyConnection, person: PersonId) -> Result<()> {
    sqlx::query("DELETE FROM known_device WHERE person_id = $1")
        .bind_id(person)
        .execute(tx)
        .await?;
    Ok(())
}
