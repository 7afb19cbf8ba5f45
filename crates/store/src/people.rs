//! People who can log in.

use domain::ids::PersonId;
use sqlx::{AnyConnection, Row};

use crate::{
    Error, Result, Store, api_tokens,
    columns::{BindId, TableRow, read_row, read_rows},
    known_devices::forget_devices,
    login_name::LoginName,
};

/// A person who can log in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Their id.
    pub id: PersonId,
    /// The name that they log in with, as they write it.
    pub name: String,
    /// Whether they may do everything in every study.
    pub is_admin: bool,
    /// Whether their account is deactivated.
    pub disabled: bool,
    /// Whether they are a crowd rater of one study, without a password.
    pub is_crowd: bool,
}

impl Store {
    /// Adds a person. `password_hash` is stored as it is; without one the person cannot log in.
    ///
    /// # Errors
    /// [`Error::Refused`] where `name` is not allowed, [`Error::Taken`] where it is taken, in any
    /// case, or looks like a name that is.
    pub async fn create_person(
        &self,
        id: PersonId,
        name: &str,
        password_hash: Option<&str>,
        is_admin: bool,
        now_ms: i64,
    ) -> Result<Person> {
        in_transaction!(self, |tx| {
            insert(&mut tx, id, name, password_hash, is_admin, now_ms).await?
        })
    }

    /// The person of that name, in any case, with their password's hash; never a crowd rater.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn person_named(&self, name: &str) -> Result<Option<(Person, Option<String>)>> {
        let Ok(name) = LoginName::parse(name) else {
            return Ok(None);
        };
        let row = sqlx::query(
            "SELECT id, name, is_admin, is_crowd, disabled_at, password_hash
             FROM person WHERE folded_name = $1 AND is_crowd = 0 AND erased_at IS NULL",
        )
        .bind(name.folded)
        .fetch_optional(self.reader())
        .await?;
        read_row("person", row, |row| {
            Ok((read_person(row)?, row.get("password_hash")?))
        })
    }

    /// The person; `None` also if their account was erased.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn person(&self, id: PersonId) -> Result<Option<Person>> {
        let row = sqlx::query(
            "SELECT id, name, is_admin, is_crowd, disabled_at FROM person
             WHERE id = $1 AND erased_at IS NULL",
        )
        .bind_id(id)
        .fetch_optional(self.reader())
        .await?;
        read_row("person", row, read_person)
    }

    /// All people except crowd raters, by name.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn people(&self) -> Result<Vec<Person>> {
        let rows = sqlx::query(
            "SELECT id, name, is_admin, is_crowd, disabled_at FROM person
             WHERE is_crowd = 0 AND erased_at IS NULL",
        )
        .fetch_all(self.reader())
        .await?;
        let mut people: Vec<_> = read_rows("person", &rows, read_person)?;
        // Sorted here and not in SQL, because the databases order letters differently.
        people.sort_by_cached_key(|person| (person.name.to_lowercase(), person.id));
        Ok(people)
    }

    /// Sets the hash of the person's password, or removes it, ends all of their sessions, revokes
    /// their API tokens, and forgets their devices and their links for a new password, so that
    /// anyone who knew the old password is out. Returns false if there is no such person.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn set_password_hash(&self, id: PersonId, hash: Option<&str>) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            let changed = sqlx::query(
                "UPDATE person SET password_hash = $2
                 WHERE id = $1 AND is_crowd = 0 AND erased_at IS NULL",
            )
            .bind_id(id)
            .bind(hash)
            .execute(&mut *tx)
            .await?
            .rows_affected();

            end_sessions(&mut tx, id).await?;
            forget_devices(&mut tx, id).await?;
            delete_links(&mut tx, id).await?;
            changed == 1
        })
    }

    /// Makes the person an administrator, or no longer one. Returns false if there is no such
    /// person.
    ///
    /// # Errors
    /// [`Error::Refused`] where nobody would be left to administer.
    pub async fn set_admin(&self, id: PersonId, is_admin: bool) -> Result<bool> {
        let (is_there, _) = change_in_transaction!(self, |tx| {
            if !is_admin {
                require_another_admin(&mut tx, id).await?;
            }

            let changed = sqlx::query(
                "UPDATE person SET is_admin = $2
                 WHERE id = $1 AND is_admin <> $2 AND is_crowd = 0 AND erased_at IS NULL",
            )
            .bind_id(id)
            .bind(i16::from(is_admin))
            .execute(&mut *tx)
            .await?
            .rows_affected();
            (is_known(&mut tx, id).await?, changed == 1)
        })?;
        Ok(is_there)
    }

    /// Deactivates the person's account, ends all of their sessions, revokes their API tokens and
    /// forgets their devices. What they did stays. Returns false if there is no such person.
    ///
    /// # Errors
    /// [`Error::Refused`] where nobody would be left to administer.
    pub async fn disable_person(&self, id: PersonId, now_ms: i64) -> Result<bool> {
        let (is_there, _) = change_in_transaction!(self, |tx| {
            require_another_admin(&mut tx, id).await?;
            let changed = sqlx::query(
                "UPDATE person SET disabled_at = $2 WHERE id = $1 AND disabled_at IS NULL",
            )
            .bind_id(id)
            .bind(now_ms)
            .execute(&mut *tx)
            .await?
            .rows_affected();

            // After the update: a session that begins at the same moment waits for it.
            end_sessions(&mut tx, id).await?;
            forget_devices(&mut tx, id).await?;
            (is_known(&mut tx, id).await?, changed == 1)
        })?;
        Ok(is_there)
    }

    /// Lets a person whose account was deactivated log in again. Returns false if there is no such
    /// person.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn enable_person(&self, id: PersonId) -> Result<bool> {
        let (is_there, _) = change_in_transaction!(self, |tx| {
            let changed = sqlx::query(
                "UPDATE person SET disabled_at = NULL
                 WHERE id = $1 AND disabled_at IS NOT NULL AND erased_at IS NULL",
            )
            .bind_id(id)
            .execute(&mut *tx)
            .await?
            .rows_affected();
            (is_known(&mut tx, id).await?, changed == 1)
        })?;
        Ok(is_there)
    }

    /// The number of administrators who can log in.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_admins(&self) -> Result<i64> {
        Ok(sqlx::query_scalar(
            "SELECT COUNT(*) AS admins FROM person WHERE is_admin = 1 AND disabled_at IS NULL",
        )
        .fetch_one(self.reader())
        .await?)
    }
}

/// Adds a person inside a transaction.
pub(crate) async fn insert(
    tx: &mut AnyConnection,
    id: PersonId,
    name: &str,
    password_hash: Option<&str>,
    is_admin: bool,
    now_ms: i64,
) -> Result<Person> {
    let name = LoginName::parse_new(name)?;
    require_distinct(tx, &name).await?;

    sqlx::query(
        "INSERT INTO person (id, name, folded_name, password_hash, is_admin, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind_id(id)
    .bind(&name.as_entered)
    .bind(&name.folded)
    .bind(password_hash)
    .bind(i16::from(is_admin))
    .bind(now_ms)
    .execute(tx)
    .await
    .map_err(|error| {
        let error = Error::from(error);
        if error.is_unique_violation() {
            taken(&name)
        } else {
            error
        }
    })?;

    Ok(Person {
        id,
        name: name.as_entered,
        is_admin,
        disabled: false,
        is_crowd: false,
    })
}

/// Refuses a new name that is taken or looks like one that is. All names are compared: there are
/// thousands at most, and people are rarely added.
async fn require_distinct(tx: &mut AnyConnection, name: &LoginName) -> Result<()> {
    let rows = sqlx::query("SELECT name, folded_name FROM person WHERE is_crowd = 0")
        .fetch_all(tx)
        .await?;

    for row in &rows {
        let other = LoginName {
            as_entered: row.try_get("name")?,
            folded: row.try_get("folded_name")?,
        };
        if name.folded == other.folded {
            return Err(taken(name));
        }
        if name.looks_like(&other) {
            return Err(Error::Taken(format!(
                "The name “{}” looks like one that is taken: use another.",
                name.as_entered
            )));
        }
    }
    Ok(())
}

fn taken(name: &LoginName) -> Error {
    Error::Taken(format!(
        "The name “{}” is taken: use another.",
        name.as_entered
    ))
}

/// Reads the columns id, name, is_admin, is_crowd and disabled_at.
pub(crate) fn read_person(row: &TableRow<'_>) -> Result<Person> {
    Ok(Person {
        id: row.parse("id")?,
        name: row.get("name")?,
        is_admin: row.flag("is_admin")?,
        disabled: row.is_set("disabled_at")?,
        is_crowd: row.flag("is_crowd")?,
    })
}

/// Whether there is such an account.
async fn is_known(tx: &mut AnyConnection, id: PersonId) -> Result<bool> {
    let row =
        sqlx::query("SELECT 1 FROM person WHERE id = $1 AND is_crowd = 0 AND erased_at IS NULL")
            .bind_id(id)
            .fetch_optional(tx)
            .await?;
    Ok(row.is_some())
}

/// Refuses a crowd rater, whose session reaches only the work pages of their own study.
pub(crate) async fn refuse_crowd_rater(tx: &mut AnyConnection, person: PersonId) -> Result<()> {
    let row = sqlx::query("SELECT 1 FROM person WHERE id = $1 AND is_crowd = 1")
        .bind_id(person)
        .fetch_optional(tx)
        .await?;
    match row {
        None => Ok(()),
        Some(_) => Err(Error::Refused(
            "A crowd rater came by a link and has no password: they stay an annotator of their study.".into(),
        )),
    }
}

/// Deletes all links of a person inside a transaction.
pub(crate) async fn delete_links(tx: &mut sqlx::AnyConnection, person: PersonId) -> Result<()> {
    sqlx::query("DELETE FROM password_link WHERE person_id = $1")
        .bind_id(person)
        .execute(tx)
        .await?;
    Ok(())
}

/// Ends all sessions of a person and revokes their API tokens, inside a transaction.
pub(crate) async fn end_sessions(tx: &mut AnyConnection, person: PersonId) -> Result<()> {
    sqlx::query("DELETE FROM session WHERE person_id = $1")
        .bind_id(person)
        .execute(&mut *tx)
        .await?;
    api_tokens::revoke_all(tx, person).await
}

/// Refuses if `leaving` is the only administrator who can log in. The update changes nothing, but
/// locks all administrators until the transaction ends, so that two cannot leave at once.
pub(crate) async fn require_another_admin(tx: &mut AnyConnection, leaving: PersonId) -> Result<()> {
    let admins: Vec<String> = sqlx::query_scalar(
        "UPDATE person SET is_admin = 1 WHERE is_admin = 1 AND disabled_at IS NULL RETURNING id",
    )
    .fetch_all(tx)
    .await?;

    let leaving = leaving.to_string();
    match &admins[..] {
        [only] if *only == leaving => Err(Error::Refused(
            "Nobody would be left to administer: make another person an administrator first."
                .into(),
        )),
        _ => Ok(()),
    }
}

/// A name in the form in which names are compared: two names with the same form are the same
/// person's. `None` for a text that cannot be a name.
#[must_use]
pub fn folded_name(name: &str) -> Option<String> {
    LoginName::parse(name).ok().map(|name| name.folded)
}
