//! Reading the log of changes, and deleting old entries.

use domain::{
    ids::{AuditEntryId, StudyId},
    study::Slug,
};
use sqlx::AssertSqlSafe;

use super::{AuditKind, fold};
use crate::{Result, Store, columns::TableRow};

/// An entry of the log of changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its id.
    pub id: AuditEntryId,
    /// Its time, in milliseconds since 1970.
    pub at: i64,
    /// The actor's name at that time; empty if nobody was signed in.
    pub actor: String,
    /// The client's IP address; empty for the command line and the server itself.
    pub address: String,
    /// The deed.
    pub kind: AuditKind,
    /// The study that it concerns; `None` also if the study no longer exists.
    pub study: Option<AuditedStudy>,
    /// The name of the person or thing that it concerns; empty if there is none.
    pub subject: String,
}

/// The study that an entry concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditedStudy {
    /// Its short name.
    pub slug: Slug,
    /// Its name for people.
    pub name: String,
}

/// A reader's choice of entries.
#[derive(Debug, Clone, Copy, Default)]
pub struct AuditFilter<'a> {
    /// Only those of this study.
    pub study: Option<StudyId>,
    /// Only those of this kind.
    pub kind: Option<AuditKind>,
    /// Only those whose actor or subject has this in its name, in any case; empty for all.
    pub name: &'a str,
    /// Only those older than this one.
    pub before: Option<AuditEntryId>,
}

impl Store {
    /// The entries that match the filter, newest first, at most `limit`. Rows that do not read are
    /// left out and reported in the program's log.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn audit_entries(
        &self,
        filter: &AuditFilter<'_>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>> {
        let (of_study, study) = match filter.study {
            // A separate condition, for which there is an index.
            Some(study) => ("e.study_id = $1", study.to_string()),
            None => ("$1 = ''", String::new()),
        };

        let sql = AssertSqlSafe(format!(
            "SELECT e.id AS id, e.at AS at, e.actor_name AS actor_name, e.address AS address,
                    e.kind AS kind, e.subject AS subject, s.slug AS slug, s.name AS study_name
             FROM audit_entry e LEFT JOIN study s ON s.id = e.study_id
             WHERE {of_study} AND ($2 = '' OR e.kind = $2)
               AND ($3 = '' OR e.folded_names LIKE $3 ESCAPE '!') AND ($4 = '' OR e.id < $4)
             ORDER BY e.id DESC LIMIT $5"
        ));

        let rows = sqlx::query(sql)
            .bind(study)
            .bind(filter.kind.map_or("", AuditKind::name))
            .bind(containing(filter.name))
            .bind(filter.before.map_or_else(String::new, |id| id.to_string()))
            .bind(i64::from(limit))
            .fetch_all(self.reader())
            .await?;

        let mut entries = Vec::with_capacity(rows.len());
        for row in &rows {
            match TableRow::new("audit_entry", row).and_then(|row| read_entry(&row)) {
                Ok(entry) => entries.push(entry),
                Err(error) if error.concerns_row() => {
                    tracing::error!(error = error.chain(), "a row is left out");
                }
                Err(error) => return Err(error),
            }
        }

        Ok(entries)
    }

    /// Deletes the entries from before `before_ms`. Returns their number.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep_audit(&self, before_ms: i64) -> Result<u64> {
        in_transaction!(self, |tx| {
            sqlx::query("DELETE FROM audit_entry WHERE at < $1")
                .bind(before_ms)
                .execute(&mut *tx)
                .await?
                .rows_affected()
        })
    }
}

/// The pattern of LIKE for texts that contain `name`; empty for an empty name.
fn containing(name: &str) -> String {
    let mut pattern = String::new();
    for c in fold(name.trim()).chars() {
        if matches!(c, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(c);
    }
    match pattern.is_empty() {
        true => pattern,
        false => format!("%{pattern}%"),
    }
}

fn read_entry(row: &TableRow<'_>) -> Result<AuditEntry> {
    let study = match row.parse_optional("slug")? {
        Some(slug) => Some(AuditedStudy {
            slug,
            name: row.get("study_name")?,
        }),
        None => None,
    };
    Ok(AuditEntry {
        id: row.parse("id")?,
        at: row.get("at")?,
        actor: row.get("actor_name")?,
        address: row.get("address")?,
        kind: row.parse("kind")?,
        study,
        subject: row.get("subject")?,
    })
}
