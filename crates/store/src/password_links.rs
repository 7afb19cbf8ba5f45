//! One-time links with which a person sets a password, for a new account or a forgotten password.

use domain::ids::PersonId;
use sqlx::Row;

use crate::{
    Error, Person, Result, Store,
    columns::{BindId, TableRow, read_row},
    known_devices::forget_devices,
    people,
};

impl Store {
    /// Makes a link with which the person sets a password; their earlier links stop working. Their
    /// current password works until then.
    ///
    /// # Errors
    /// When there is no such person; refused for a crowd rater.
    pub async fn create_password_link(
        &self,
        token_hash: &str,
        person: PersonId,
        now_ms: i64,
        expires_ms: i64,
    ) -> Result<()> {
        in_transaction!(self, |tx| {
            people::refuse_crowd_rater(&mut tx, person).await?;
            people::delete_links(&mut tx, person).await?;

            sqlx::query(
                "INSERT INTO password_link (token_hash, person_id, created_at, expires_at)
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

    /// The person whose password the link sets; `None` if it does not work.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn person_of_password_link(
        &self,
        token_hash: &str,
        now_ms: i64,
    ) -> Result<Option<Person>> {
        let row = sqlx::query(
            "SELECT p.id AS id, p.name AS name, p.is_admin AS is_admin, p.is_crowd AS is_crowd, p.disabled_at AS disabled_at
             FROM password_link l JOIN person p ON p.id = l.person_id
             WHERE l.token_hash = $1 AND l.expires_at > $2 AND p.disabled_at IS NULL",
        )
        .bind(token_hash)
        .bind(now_ms)
        .fetch_optional(self.reader())
        .await?;
        read_row("person", row, people::read_person)
    }

    /// Sets the password with the link, which works exactly once, ends the person's sessions and
    /// forgets their devices.
    ///
    /// # Errors
    /// [`Error::Refused`] where the link does not work.
    pub async fn redeem_password_link(
        &self,
        token_hash: &str,
        password_hash: &str,
        now_ms: i64,
    ) -> Result<Person> {
        in_transaction!(self, |tx| {
            // Deleted first, so that a second person who follows it at the same time is refused.
            let row = sqlx::query(
                "DELETE FROM password_link WHERE token_hash = $1 AND expires_at > $2
                 RETURNING person_id",
            )
            .bind(token_hash)
            .bind(now_ms)
            .fetch_optional(&mut *tx)
            .await?;

            let row = match row {
                Some(row) => {
                    let id: &str = row.try_get("person_id")?;
                    sqlx::query(
                        "UPDATE person SET password_hash = $2
                         WHERE id = $1 AND disabled_at IS NULL
                         RETURNING id, name, is_admin, is_crowd, disabled_at",
                    )
                    .bind(id)
                    .bind(password_hash)
                    .fetch_optional(&mut *tx)
                    .await?
                }
                None => None,
            };

            let row = row.ok_or_else(|| {
                Error::Refused(
                    "This link has been used or has expired: ask an administrator for a new one."
                        .into(),
                )
            })?;

            let person = people::read_person(&TableRow::new("person", &row)?)?;
            people::end_sessions(&mut tx, person.id).await?;
            forget_devices(&mut tx, person.id).await?;
            people::delete_links(&mut tx, person.id).await?;
            person
        })
    }
}
