//! The log of changes: who changed accounts, memberships and data, when and from where.
//!
//! An entry is stored in the transaction of the change that it describes: [`Store::audited`] gives
//! a handle that carries it. Reading is recorded by a separate entry, with [`Store::record_audit`].
//! The log only grows, except that old entries are deleted together.

mod kind;
mod list;

use std::{fmt::Display, sync::Arc};

use domain::ids::{AuditEntryId, ImportId, ModelId, ParticipantId, PersonId, StudyId};
use sqlx::AnyConnection;
use unicode_normalization::UnicodeNormalization as _;

pub use self::{
    kind::{AuditKind, UnknownAuditKind},
    list::{AuditEntry, AuditFilter, AuditedStudy},
};
use crate::{
    Result, Store,
    columns::{self, BindId},
};

/// The actor's name for changes from the command line.
const COMMAND_LINE: &str = "command line";

/// The actor's name for changes by the server itself.
const SERVER: &str = "the server";

/// The largest number of characters of a subject that are kept.
const MAX_SUBJECT_CHARS: usize = 300;

/// An entry to store.
#[derive(Debug, Clone)]
pub struct NewAuditEntry {
    /// Its id, which sorts by time.
    pub id: AuditEntryId,
    /// Its time, in milliseconds since 1970.
    pub at: i64,
    /// The actor.
    pub actor: AuditActor,
    /// The client's IP address; empty for the command line and the server itself.
    pub address: String,
    /// The deed.
    pub kind: AuditKind,
    /// The study that it concerns, if any.
    pub study: Option<StudyId>,
    /// The person or thing that it concerns.
    pub subject: AuditSubject,
}

/// The actor of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditActor {
    /// A visitor who is not signed in.
    Nobody,
    /// A person.
    Person(PersonId),
    /// A command on the server's machine.
    CommandLine,
    /// The server, by itself.
    Server,
}

/// The person or thing that an entry concerns. The store looks up its name in the transaction of
/// the change, after the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditSubject {
    /// Nothing apart from the actor and the study.
    Nothing,
    /// One with this name.
    Named(String),
    /// A person.
    Person(PersonId),
    /// A member of the entry's study, with their role at that time.
    Member(PersonId),
    /// A participant in the entry's study, by their pseudonym.
    Participant(ParticipantId),
    /// An invitation to the entry's study, by the hash of its token: its role and label are kept.
    Invitation(String),
    /// An import into the entry's study, by the names of its files.
    Import(ImportId),
    /// A model of the entry's study.
    Model(ModelId),
}

/// An entry as it was stored.
#[derive(Debug)]
pub(crate) struct StoredAuditEntry {
    kind: AuditKind,
    study: Option<StudyId>,
    actor: String,
    subject: String,
}

impl StoredAuditEntry {
    /// Writes the entry to the program's log, too. Debug output escapes line breaks.
    pub(crate) fn log(&self) {
        let study = self.study.map(|study| study.to_string());
        let (kind, study) = (self.kind.name(), study.unwrap_or_default());
        let (actor, subject) = (&self.actor, &self.subject);
        tracing::info!(target: "audit", kind, ?actor, study, ?subject, "the log of changes has a new entry");
    }
}

impl Store {
    /// The same database, whose next transaction stores this entry as well: both are stored, or
    /// neither. If a method finds nothing to change, no entry is stored.
    #[must_use]
    pub fn audited(&self, entry: NewAuditEntry) -> Self {
        let mut store = self.clone();
        store.audit_entry = Some(Arc::new(entry));
        store
    }

    /// The same database, whose transactions store no entry.
    pub(crate) fn without_audit_entry(&self) -> Self {
        let mut store = self.clone();
        store.audit_entry = None;
        store
    }

    /// Stores an entry on its own, for an action that changes nothing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn record_audit(&self, entry: NewAuditEntry) -> Result<()> {
        let store = self.audited(entry);
        in_transaction!(store, |tx| {
            // Only the entry is stored.
        })
    }

    /// Like [`Self::record_audit`], unless there is an entry of the same kind, subject and address
    /// since `since_ms`: actions that can be repeated without limit must not fill the disk.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn record_audit_once(&self, entry: NewAuditEntry, since_ms: i64) -> Result<()> {
        let mut reader = self.reader().acquire().await?;
        let subject = find_subject(&mut reader, &entry).await?;

        let row = sqlx::query(
            "SELECT 1 FROM audit_entry
             WHERE at >= $1 AND kind = $2 AND subject = $3 AND address = $4 LIMIT 1",
        )
        .bind(since_ms)
        .bind(entry.kind.name())
        .bind(subject)
        .bind(&entry.address)
        .fetch_optional(&mut *reader)
        .await?;

        drop(reader);
        match row {
            Some(_) => Ok(()),
            None => self.record_audit(entry).await,
        }
    }

    /// This handle, with `study` as its entry's study; for an entry whose writer did not know the
    /// study.
    pub(crate) fn with_audited_study(&self, study: StudyId) -> Self {
        let mut store = self.clone();
        if let Some(entry) = &self.audit_entry {
            let mut entry = NewAuditEntry::clone(entry);
            entry.study = Some(study);
            store.audit_entry = Some(Arc::new(entry));
        }
        store
    }

    /// Stores the entry that this handle carries; `None` if it carries none, or an earlier
    /// transaction of the handle stored it.
    pub(crate) async fn store_audit_entry(
        &self,
        tx: &mut AnyConnection,
    ) -> Result<Option<StoredAuditEntry>> {
        match &self.audit_entry {
            Some(entry) => Box::pin(insert(tx, entry)).await,
            None => Ok(None),
        }
    }
}

/// Stores an entry, unless it is stored already.
pub(crate) async fn insert(
    tx: &mut AnyConnection,
    entry: &NewAuditEntry,
) -> Result<Option<StoredAuditEntry>> {
    let (actor_id, actor) = match entry.actor {
        AuditActor::Nobody => (None, String::new()),
        AuditActor::Person(id) => (Some(id), find_name(tx, id).await?),
        AuditActor::CommandLine => (None, COMMAND_LINE.to_owned()),
        AuditActor::Server => (None, SERVER.to_owned()),
    };

    let subject = find_subject(tx, entry).await?;
    let address = if is_own_erasure(entry) {
        ""
    } else {
        &entry.address
    };

    let inserted = sqlx::query(
        "INSERT INTO audit_entry (id, at, actor_id, actor_name, address, kind, study_id, subject,
                                  folded_names)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING",
    )
    .bind_id(entry.id)
    .bind(entry.at)
    .bind_id(actor_id)
    .bind(&actor)
    .bind(address)
    .bind(entry.kind.name())
    .bind_id(entry.study)
    .bind(&subject)
    .bind(fold(&format!("{actor}\n{subject}")))
    .execute(tx)
    .await?
    .rows_affected();

    Ok((inserted > 0).then_some(StoredAuditEntry {
        kind: entry.kind,
        study: entry.study,
        actor,
        subject,
    }))
}

/// Whether a person erased their own account: then the entry does not keep their address.
fn is_own_erasure(entry: &NewAuditEntry) -> bool {
    match (entry.kind, entry.actor, &entry.subject) {
        (AuditKind::PersonErased, AuditActor::Person(actor), AuditSubject::Person(subject)) => {
            actor == *subject
        }
        _ => false,
    }
}

/// A text in the form in which searches compare texts.
pub(crate) fn fold(text: &str) -> String {
    text.nfkc().collect::<String>().to_lowercase()
}

/// The current name of the entry's subject; empty if it does not exist.
async fn find_subject(tx: &mut AnyConnection, entry: &NewAuditEntry) -> Result<String> {
    let name = match &entry.subject {
        AuditSubject::Nothing => String::new(),
        AuditSubject::Named(name) => name.clone(),
        AuditSubject::Person(id) => find_name(tx, *id).await?,
        AuditSubject::Member(id) => {
            let sql = "SELECT p.name || ' (' || m.role || ')' FROM member m
                 JOIN person p ON p.id = m.person_id WHERE p.id = $1 AND m.study_id = $2";
            find_in_study(tx, sql, id, entry.study).await?
        }
        AuditSubject::Participant(id) => {
            let sql = "SELECT label FROM participant WHERE id = $1 AND study_id = $2";
            find_in_study(tx, sql, id, entry.study).await?
        }
        AuditSubject::Invitation(token_hash) => {
            let sql = "SELECT CASE WHEN label = '' THEN role ELSE role || ', ' || label END
                 FROM invitation WHERE token_hash = $1 AND study_id = $2";
            find_in_study(tx, sql, token_hash, entry.study).await?
        }
        AuditSubject::Import(id) => {
            let sql = "SELECT names FROM import WHERE id = $1 AND study_id = $2";
            let names = find_in_study(tx, sql, id, entry.study).await?;
            match names.as_str() {
                "" => names,
                names => {
                    columns::parse_json::<Vec<String>>("import", id, "names", names)?.join(", ")
                }
            }
        }
        AuditSubject::Model(id) => {
            let sql = "SELECT name || ', version ' || CAST(version AS TEXT)
                 FROM model WHERE id = $1 AND study_id = $2";
            find_in_study(tx, sql, id, entry.study).await?
        }
    };

    // File names come from the sender.
    let shown = name.chars().filter(|c| !c.is_control());
    Ok(shown.take(MAX_SUBJECT_CHARS).collect())
}

async fn find_name(tx: &mut AnyConnection, person: PersonId) -> Result<String> {
    let name = sqlx::query_scalar("SELECT name FROM person WHERE id = $1")
        .bind_id(person)
        .fetch_optional(tx)
        .await?;
    Ok(name.unwrap_or_default())
}

/// The text that `sql` selects by a key and the study.
async fn find_in_study(
    tx: &mut AnyConnection,
    sql: &'static str,
    key: impl Display,
    study: Option<StudyId>,
) -> Result<String> {
    let text = sqlx::query_scalar(sql)
        .bind(key.to_string())
        .bind_id(study)
        .fetch_optional(tx)
        .await?;
    Ok(text.unwrap_or_default())
}
