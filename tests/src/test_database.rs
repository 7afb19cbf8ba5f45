//! Running one story on each database.

use std::path::PathBuf;

use domain::{
    ids::{PersonId, StudyId},
    study::{Slug, StudySettings},
};
use sqlx::{
    AnyConnection, AssertSqlSafe, Connection, Row,
    any::{AnyRow, install_default_drivers},
};
use store::{Error, NewSession, NewStudy, Store, StudyEvent};
use tempfile::TempDir;
use tokio::sync::OnceCell;

use crate::{MINUTE, NOW, cluster, fresh_id};

/// A fresh database.
#[derive(Debug)]
pub struct TestDatabase {
    /// The database, opened and migrated.
    pub store: Store,
    /// Its address, for opening it again.
    pub url: String,
    /// The process of the database server, from which its others descend; `None` on SQLite.
    pub server_process: Option<u32>,
    /// Holds a SQLite file for as long as the story lasts.
    folder: Option<TempDir>,
}

/// Tells `story` on SQLite, then on PostgreSQL where the machine has it.
pub async fn on_both(story: impl AsyncFn(&TestDatabase)) {
    on_sqlite(&story).await;
    on_postgres(&story).await;
}

/// Tells `story` on a fresh SQLite file.
pub async fn on_sqlite(story: impl AsyncFn(&TestDatabase)) {
    eprintln!("on SQLite");
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = folder.path().join("story.sqlite");
    std::fs::write(&file, migrated_file().await).expect("the folder takes files");
    let url = store::sqlite_url(&file);
    run_on(url, None, Some(folder), story).await;
}

/// An empty SQLite database with our schema, migrated once for all stories.
async fn migrated_file() -> &'static [u8] {
    static MIGRATED: OnceCell<Vec<u8>> = OnceCell::const_new();

    MIGRATED
        .get_or_init(async || {
            let folder = tempfile::tempdir().expect("a temporary folder can be made");
            let file = folder.path().join("migrated.sqlite");
            let store = Store::open(&store::sqlite_url(&file)).await;
            store.expect("a fresh database opens").close().await;
            std::fs::read(&file).expect("the database was made")
        })
        .await
}

/// Tells `story` on a fresh PostgreSQL database; skips it with a message where the machine has no
/// PostgreSQL, and fails where `CI` is set.
pub async fn on_postgres(story: impl AsyncFn(&TestDatabase)) {
    match cluster::fresh_database().await {
        Ok(database) => {
            eprintln!("on PostgreSQL");
            let server = Some(database.server_process());
            run_on(database.url.clone(), server, None, story).await;
        }
        Err(reason) if std::env::var_os("CI").is_some() => panic!("{reason}"),
        Err(reason) => eprintln!("skipped on PostgreSQL: {reason}"),
    }
}

async fn run_on(
    url: String,
    server_process: Option<u32>,
    folder: Option<TempDir>,
    story: impl AsyncFn(&TestDatabase),
) {
    let store = Store::open(&url).await.expect("a fresh database opens");
    let database = TestDatabase {
        store,
        url,
        server_process,
        folder,
    };
    story(&database).await;
    database.store.close().await;
}

impl TestDatabase {
    /// Adds a person who is not an administrator.
    pub async fn add_person(&self, name: &str) -> PersonId {
        let id = PersonId(fresh_id());
        let person = self.store.create_person(id, name, None, false, NOW).await;
        person.expect("the name is free").id
    }

    /// Adds an administrator.
    pub async fn add_admin(&self, name: &str) -> PersonId {
        let id = PersonId(fresh_id());
        let person = self.store.create_person(id, name, None, true, NOW).await;
        person.expect("the name is free").id
    }

    /// Signs in a person without a password, for a minute.
    pub async fn add_session(&self, token_hash: &str, person: PersonId) {
        let new = new_session(token_hash, person);
        let begun = self.store.create_session(&new).await;
        assert!(begun.expect("no session has the token"));
    }

    /// Makes a study with the default settings.
    pub async fn add_study(&self, short_name: &str, lead: Option<PersonId>) -> StudyId {
        let new = NewStudy {
            id: StudyId(fresh_id()),
            slug: &slug(short_name),
            name: short_name,
            settings: &StudySettings::default(),
            guidelines: "",
            lead,
        };
        let result = self.store.create_study(&new, NOW).await;
        result.map(|()| new.id).expect("the short name is free")
    }

    /// Opens the database again, with connections of its own, as another process does.
    pub async fn another_store(&self) -> Store {
        Store::open(&self.url)
            .await
            .expect("the database opens again")
    }

    /// The study's events with a number above `after`, oldest first.
    pub async fn events_after(&self, study: StudyId, after: i64) -> Vec<StudyEvent> {
        let events = self.store.latest_events(study, 1_000).await;
        let events = events.expect("the events read").into_iter().rev();
        let events = events.map(|recent| recent.event);
        events.filter(|event| event.number > after).collect()
    }

    /// Runs SQL that no method of the store runs, such as damage, or rows as other versions wrote them.
    pub async fn execute_sql(&self, sql: String) {
        let mut connection = self.connection().await;
        sqlx::raw_sql(AssertSqlSafe(sql))
            .execute(&mut connection)
            .await
            .expect("the story's own SQL runs");
        connection.close().await.expect("the connection closes");
    }

    /// The rows of a query that no method of the store makes, each value as text.
    pub async fn query_rows(&self, sql: &str) -> Vec<Vec<String>> {
        let mut connection = self.connection().await;
        let rows = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))
            .fetch_all(&mut connection)
            .await
            .expect("the story's own SQL runs");
        connection.close().await.expect("the connection closes");
        rows.iter().map(row_texts).collect()
    }

    /// A connection in addition to those of the store.
    pub async fn connection(&self) -> AnyConnection {
        install_default_drivers();
        AnyConnection::connect(&self.url)
            .await
            .expect("the database takes one more connection")
    }

    /// The SQLite file; `None` on PostgreSQL.
    #[must_use]
    pub fn file(&self) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        Some(folder.path().join("story.sqlite"))
    }
}

fn row_texts(row: &AnyRow) -> Vec<String> {
    let text = |column: usize| {
        if let Ok(number) = row.try_get::<Option<i64>, _>(column) {
            return number.map_or("NULL".to_owned(), |number| number.to_string());
        }
        row.try_get(column).expect("a text or a whole number")
    };
    (0..row.len()).map(text).collect()
}

/// The sentence with which the store refuses.
///
/// # Panics
/// Where it does not refuse.
pub fn refusal<T>(result: store::Result<T>) -> String {
    match result {
        Err(Error::Refused(sentence)) => sentence,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was not refused"),
    }
}

/// The short name of a study.
///
/// # Panics
/// Where `text` cannot be one.
#[must_use]
pub fn slug(text: &str) -> Slug {
    text.parse()
        .expect("the story's short names are short names")
}

/// A session of a minute for a person without a password.
#[must_use]
pub const fn new_session(token_hash: &str, person: PersonId) -> NewSession<'_> {
    NewSession {
        token_hash,
        person,
        password_hash: None,
        user_agent: "",
        now_ms: NOW,
        expires_ms: NOW + MINUTE,
    }
}
