//! Tokens with which programs use the HTTP API on a person's behalf.
//!
//! A token is looked up by its hash. It never grants more than its person's current rights: a
//! request for a study asks [`Store::study_access`] as well.

use std::collections::HashMap;

use domain::{
    ids::{ApiTokenId, IdText, PersonId, StudyId},
    names,
};
use sqlx::AnyConnection;

use crate::{
    Error, Person, Result, Store,
    columns::{BindId, TableRow, parse_count, read_rows},
};

/// The largest number of tokens of one person, expired ones included.
pub const MOST_TOKENS: i64 = 50;

/// How long an expired token stays in its person's list, in milliseconds: thirty days.
const KEPT_EXPIRED_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// The shortest time between two records of a token's use, in milliseconds: a record is a write, so
/// not every request makes one.
const NOTE_USE_AFTER_MS: i64 = 60_000;

/// The requests for which a token is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenAccess {
    /// Requests that change nothing.
    Read,
    /// All requests.
    Write,
}

names!(TokenAccess, "kind of access", UnknownTokenAccess, Read => "read", Write => "write");

/// The studies for which a token is valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenStudies {
    /// All studies of its person, including future ones.
    All,
    /// Only these. Erased studies are dropped.
    Only(Vec<StudyId>),
}

impl TokenStudies {
    /// Whether the token covers the study; its person's own rights are checked elsewhere.
    #[must_use]
    pub fn include(&self, study: StudyId) -> bool {
        match self {
            Self::All => true,
            Self::Only(studies) => studies.contains(&study),
        }
    }
}

/// A token to store.
#[derive(Debug, Clone, Copy)]
pub struct NewApiToken<'a> {
    /// Its id.
    pub id: ApiTokenId,
    /// The hash of the secret, never the secret.
    pub token_hash: &'a str,
    /// Its person.
    pub person: PersonId,
    /// The name that its person gives it.
    pub name: &'a str,
    /// The kind of requests.
    pub access: TokenAccess,
    /// The studies.
    pub studies: &'a TokenStudies,
    /// When it expires, in milliseconds since 1970.
    pub expires_at: i64,
}

/// A token. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiToken {
    /// Its id, by which it is revoked.
    pub id: ApiTokenId,
    /// The name that its person gave it.
    pub name: String,
    /// The kind of requests.
    pub access: TokenAccess,
    /// The studies.
    pub studies: TokenStudies,
    /// When it was made.
    pub created_at: i64,
    /// When it expires.
    pub expires_at: i64,
    /// When it was last used, to the minute.
    pub used_at: Option<i64>,
}

/// A valid token with its person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenHolder {
    /// The token.
    pub token: ApiToken,
    /// The person on whose behalf it acts.
    pub person: Person,
}

impl Store {
    /// Stores a new token.
    ///
    /// # Errors
    /// [`Error::Refused`] where the account is closed, or has [`MOST_TOKENS`].
    pub async fn create_api_token(&self, new: &NewApiToken<'_>, now_ms: i64) -> Result<()> {
        in_transaction!(self, |tx| {
            // This changes nothing, but waits for a deactivation in progress and makes another new
            // token wait.
            let is_open = sqlx::query(
                "UPDATE person SET is_admin = is_admin
                 WHERE id = $1 AND disabled_at IS NULL AND erased_at IS NULL",
            )
            .bind_id(new.person)
            .execute(&mut *tx)
            .await?
            .rows_affected();
            if is_open == 0 {
                return Err(Error::Refused("This account is deactivated.".into()));
            }

            let row = sqlx::query("SELECT COUNT(*) AS tokens FROM api_token WHERE person_id = $1")
                .bind_id(new.person)
                .fetch_one(&mut *tx)
                .await?;
            if i64::from(parse_count(&row, "tokens")?) >= MOST_TOKENS {
                return Err(Error::Refused(format!(
                    "There are {MOST_TOKENS} tokens already: revoke one first."
                )));
            }

            sqlx::query(
                "INSERT INTO api_token
                     (id, token_hash, person_id, name, access, all_studies, created_at, expires_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            )
            .bind_id(new.id)
            .bind(new.token_hash)
            .bind_id(new.person)
            .bind(new.name)
            .bind(new.access.name())
            .bind(i16::from(*new.studies == TokenStudies::All))
            .bind(now_ms)
            .bind(new.expires_at)
            .execute(&mut *tx)
            .await?;

            if let TokenStudies::Only(studies) = new.studies {
                for study in studies {
                    sqlx::query("INSERT INTO api_token_study (token_id, study_id) VALUES ($1, $2)")
                        .bind_id(new.id)
                        .bind_id(study)
                        .execute(&mut *tx)
                        .await?;
                }
            }
        })
    }

    /// The token whose secret has this hash; `None` if there is none, it has expired, or its
    /// account is deactivated, erased or a crowd rater's.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn api_token(&self, token_hash: &str, now_ms: i64) -> Result<Option<TokenHolder>> {
        let mut reader = self.reader().acquire().await?;
        let row = sqlx::query(
            "SELECT t.id AS id, t.name AS name, t.access AS access, t.all_studies AS all_studies,
                    t.created_at AS created_at, t.expires_at AS expires_at, t.used_at AS used_at,
                    p.id AS person_id, p.name AS person_name, p.is_admin AS is_admin
             FROM api_token t JOIN person p ON p.id = t.person_id
             WHERE t.token_hash = $1 AND t.expires_at > $2
               AND p.disabled_at IS NULL AND p.erased_at IS NULL AND p.is_crowd = 0",
        )
        .bind(token_hash)
        .bind(now_ms)
        .fetch_optional(&mut *reader)
        .await?;

        let Some(row) = row else { return Ok(None) };
        let row = TableRow::new("api_token", &row)?;
        let id: ApiTokenId = row.parse("id")?;
        let studies = load_studies(&mut reader, "WHERE t.id = $1", id).await?;
        let token = read_token(&row, &studies)?;

        let person = Person {
            id: row.parse("person_id")?,
            name: row.get("person_name")?,
            is_admin: row.flag("is_admin")?,
            disabled: false,
            is_crowd: false,
        };
        Ok(Some(TokenHolder { token, person }))
    }

    /// A person's tokens, newest first, including those that expired recently.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn api_tokens(&self, person: PersonId) -> Result<Vec<ApiToken>> {
        let mut reader = self.reader().acquire().await?;
        let rows = sqlx::query(
            "SELECT id, name, access, all_studies, created_at, expires_at, used_at
             FROM api_token WHERE person_id = $1 ORDER BY created_at DESC, id DESC",
        )
        .bind_id(person)
        .fetch_all(&mut *reader)
        .await?;
        let studies = load_studies(&mut reader, "WHERE t.person_id = $1", person).await?;
        read_rows("api_token", &rows, |row| read_token(row, &studies))
    }

    /// Records that a token was used, unless that was recorded a moment ago.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn note_token_use(&self, token: &ApiToken, now_ms: i64) -> Result<()> {
        let since = now_ms - NOTE_USE_AFTER_MS;
        if token.used_at.is_some_and(|used_at| used_at > since) {
            return Ok(());
        }

        in_transaction!(self, |tx| {
            sqlx::query(
                "UPDATE api_token SET used_at = $2
                 WHERE id = $1 AND (used_at IS NULL OR used_at <= $3)",
            )
            .bind_id(token.id)
            .bind(now_ms)
            .bind(since)
            .execute(&mut *tx)
            .await?;
        })
    }

    /// Revokes a token of the person. Returns false if they have no such token.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revoke_api_token(&self, person: PersonId, token: ApiTokenId) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            sqlx::query("DELETE FROM api_token WHERE id = $1 AND person_id = $2")
                .bind_id(token)
                .bind_id(person)
                .execute(&mut *tx)
                .await?
                .rows_affected()
                == 1
        })
    }

    /// Deletes tokens that expired more than thirty days ago. Returns their number.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep_api_tokens(&self, now_ms: i64) -> Result<u64> {
        in_transaction!(self, |tx| {
            sqlx::query("DELETE FROM api_token WHERE expires_at < $1")
                .bind(now_ms - KEPT_EXPIRED_MS)
                .execute(&mut *tx)
                .await?
                .rows_affected()
        })
    }
}

/// Revokes all tokens of a person inside a transaction.
pub(crate) async fn revoke_all(tx: &mut AnyConnection, person: PersonId) -> Result<()> {
    sqlx::query("DELETE FROM api_token WHERE person_id = $1")
        .bind_id(person)
        .execute(tx)
        .await?;
    Ok(())
}

/// The studies of each token that matches a condition on `t`.
async fn load_studies(
    connection: &mut AnyConnection,
    condition: &'static str,
    value: impl IdText,
) -> Result<HashMap<ApiTokenId, Vec<StudyId>>> {
    let sql = format!(
        "SELECT s.token_id AS id, s.study_id AS study_id
         FROM api_token_study s JOIN api_token t ON t.id = s.token_id {condition} ORDER BY s.study_id"
    );
    let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind_id(value)
        .fetch_all(connection)
        .await?;

    let mut studies = HashMap::<_, Vec<_>>::new();
    for row in &rows {
        let row = TableRow::new("api_token_study", row)?;
        let token = row.parse("id")?;
        studies
            .entry(token)
            .or_default()
            .push(row.parse("study_id")?);
    }

    Ok(studies)
}

fn read_token(row: &TableRow<'_>, studies: &HashMap<ApiTokenId, Vec<StudyId>>) -> Result<ApiToken> {
    let id = row.parse("id")?;
    Ok(ApiToken {
        id,
        name: row.get("name")?,
        access: row.parse("access")?,
        studies: match row.get::<i64>("all_studies")? {
            0 => TokenStudies::Only(studies.get(&id).cloned().unwrap_or_default()),
            _ => TokenStudies::All,
        },
        created_at: row.get("created_at")?,
        expires_at: row.get("expires_at")?,
        used_at: row.get("used_at")?,
    })
}
