//! The database itself: opening it, writing from several processes, and failures.

use std::time::Duration;

use domain::{ids::PersonId, study::Role};
use sqlx::Executor;
use store::{Error, Store, sqlite_url};
use stories::{NOW, fresh_id, on_both, on_postgres, on_sqlite};
use tokio::task::JoinSet;

/// The sentence that people see about a failure that they can act on.
fn sentence<T>(result: Result<T, Error>) -> String {
    match result {
        Err(error @ Error::Unusable { .. }) => error.to_string(),
        Err(other) => panic!("{other}: {other:?}"),
        Ok(_) => panic!("it did not fail"),
    }
}

/// Adds a person to a study's members, each of which is one event.
async fn join(store: &Store, study: domain::ids::StudyId, name: &str) -> Result<(), Error> {
    let id = PersonId(fresh_id());
    store.create_person(id, name, None, false, NOW).await?;
    store.add_member(study, id, Role::Annotator, NOW).await
}

#[tokio::test(flavor = "multi_thread")]
async fn four_processes_open_a_new_database_at_once() {
    on_both(async |story| {
        // The story's own store has migrated already: begin with nothing again.
        match story.file() {
            Some(file) => {
                story.store.close().await;
                for end in ["", "-wal", "-shm"] {
                    let path = format!("{}{end}", file.display());
                    drop(std::fs::remove_file(path));
                }
            }
            None => {
                story
                    .execute_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public".into())
                    .await
            }
        }

        let mut opening = JoinSet::new();
        for _ in 0..4 {
            let url = story.url.clone();
            opening.spawn(async move { Store::open(&url).await });
        }

        for opened in opening.join_all().await {
            let store = opened.unwrap();
            assert_eq!(store.count_admins().await.unwrap(), 0);
            store.close().await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn catching_up_by_number_skips_nothing() {
    on_both(async |story| {
        let study = story.add_study("news", None).await;
        let processes = [story.store.clone(), story.another_store().await];
        let mut writing = JoinSet::new();
        for writer in 0..4_usize {
            let store = processes[writer % 2].clone();
            writing.spawn(async move {
                for number in 0..10 {
                    join(&store, study, &format!("{writer}-{number}"))
                        .await
                        .unwrap();
                }
            });
        }

        let mut seen = vec![];
        let catching_up = async {
            while seen.len() < 41 {
                let after = seen.last().copied().unwrap_or(0);
                let events = story.events_after(study, after).await;
                seen.extend(events.into_iter().map(|event| event.number));
                tokio::task::yield_now().await;
            }
        };

        let patience = Duration::from_secs(60);
        let caught_up = tokio::time::timeout(patience, catching_up).await;
        writing.join_all().await;
        caught_up.expect("all events come");
        assert_eq!(seen, (1..=41).collect::<Vec<i64>>());
        assert_eq!(story.store.newest_event(study).await.unwrap(), Some(41));
        processes[1].close().await;
    })
    .await;
}

#[tokio::test]
async fn a_second_writer_waits_for_the_first() {
    on_sqlite(async |story| {
        let mut first = story.connection().await;
        first.execute("BEGIN IMMEDIATE").await.unwrap();
        let letting_go = async {
            tokio::time::sleep(Duration::from_millis(400)).await;
            first.execute("COMMIT").await.unwrap();
        };
        let writing = story
            .store
            .create_person(PersonId(fresh_id()), "a", None, false, NOW);
        // Readers do not wait at all.
        assert_eq!(story.store.people().await.unwrap().len(), 0);
        let (written, ()) = tokio::join!(writing, letting_go);
        written.unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn transactions_that_cannot_be_put_in_a_row_are_tried_again() {
    on_postgres(async |story| {
        let study = story.add_study("news", None).await;
        let name = story
            .query_rows("SELECT CAST(current_database() AS TEXT)")
            .await[0][0]
            .clone();
        story
            .execute_sql(format!(
                "ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'"
            ))
            .await;

        let processes = [story.another_store().await, story.another_store().await];
        let mut writing = JoinSet::new();
        for writer in 0..4_usize {
            let store = processes[writer % 2].clone();
            writing.spawn(async move {
                for number in 0..5 {
                    join(&store, study, &format!("{writer}-{number}")).await?;
                }
                Ok::<_, Error>(())
            });
        }

        for result in writing.join_all().await {
            result.unwrap();
        }
        assert_eq!(story.store.members(study).await.unwrap().len(), 20);
        for process in processes {
            process.close().await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_given_up_leaves_nothing_half_done() {
    on_both(async |story| {
        let study = story.add_study("news", None).await;
        for number in 0..40_u64 {
            let name = number.to_string();
            let patience = Duration::from_micros(number * 150);
            drop(tokio::time::timeout(patience, join(&story.store, study, &name)).await);
        }
        let patience = Duration::from_secs(5);
        let last = tokio::time::timeout(patience, join(&story.store, study, "last")).await;
        last.expect("the writer is free").unwrap();
        // One event for each member, in addition to the study's own.
        let members = story.store.members(study).await.unwrap().len();
        let newest = story.store.newest_event(study).await.unwrap();
        assert_eq!(newest, Some(i64::try_from(members).unwrap() + 1));
    })
    .await;
}

#[tokio::test]
async fn a_database_server_that_restarts_is_found_again() {
    on_postgres(async |story| {
        story.add_person("a").await;
        story
            .query_rows(
                "SELECT CAST(COUNT(pg_terminate_backend(pid)) AS BIGINT) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid()",
            )
            .await;
        assert_eq!(story.store.people().await.unwrap().len(), 1);
        story.add_person("b").await;
    })
    .await;
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_left_alone() {
    on_both(async |story| {
        story
            .execute_sql(
                "INSERT INTO _sqlx_migrations
                     (version, description, success, checksum, execution_time)
                 SELECT 9999, 'to come', success, checksum, 0 FROM _sqlx_migrations WHERE version = 1"
                    .into(),
            )
            .await;
        let error = Store::open(&story.url).await.unwrap_err();
        assert!(matches!(error, Error::Migration(_)), "{error:?}");
        assert!(error.to_string().contains("another version"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn an_address_that_leads_nowhere_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().display();
    for (url, words) in [
        ("mysql://somewhere/else".to_owned(), "names no database"),
        ("sqlite::memory:".to_owned(), "in memory"),
        (
            format!("sqlite:{folder}/no/such/folder/a.sqlite"),
            "its folder exists",
        ),
        (
            format!("postgres://a@localhost/a?host={folder}"),
            "cannot be reached",
        ),
        (
            "postgres://a:secret@127.0.0.1:1/a".to_owned(),
            "cannot be reached",
        ),
        ("postgres://a:secret@[b".to_owned(), "does not read"),
    ] {
        let message = sentence(Store::open(&url).await);
        assert!(message.contains(words), "{url}: {message}");
        assert!(!message.contains("secret"), "{message}");
    }
}

#[tokio::test]
async fn a_file_of_any_name_is_a_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("die Größe 100% ?#1.sqlite");
    let store = Store::open(&store::sqlite_url(&path)).await.unwrap();
    assert!(path.is_file());
    store.close().await;
}

#[tokio::test]
async fn a_file_that_is_no_database_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    let notes = "Not a database, but long enough to be taken for one. ".repeat(40);
    std::fs::write(&path, &notes).unwrap();
    let message = sentence(Store::open(&store::sqlite_url(&path)).await);
    assert!(message.contains("not a SQLite database"), "{message}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), notes);
}

#[tokio::test]
async fn a_full_disk_a_busy_and_a_read_only_file_say_what_to_do() {
    on_sqlite(async |story| {
        let failing = async |settings: &'static str, sql: &'static str| {
            let mut connection = story.connection().await;
            connection.execute(settings).await.unwrap();
            sentence(connection.execute(sql).await.map_err(Error::from))
        };
        // As on a full disk: the file may not grow.
        let full = failing(
            "PRAGMA max_page_count = 1",
            "CREATE TABLE more AS
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
             SELECT i, 'and some text to fill the file with' AS text FROM n",
        );
        assert!(full.await.contains("is full: nothing was saved"));
        let read_only = failing("PRAGMA query_only = ON", "DELETE FROM person").await;
        assert!(read_only.contains("may not be written"), "{read_only}");

        let mut writer = story.connection().await;
        writer.execute("BEGIN IMMEDIATE").await.unwrap();
        let busy = failing("PRAGMA busy_timeout = 1", "BEGIN IMMEDIATE").await;
        assert!(busy.contains("is busy"), "{busy}");
    })
    .await;
}

#[tokio::test]
async fn a_server_that_refuses_says_what_to_do() {
    on_postgres(async |story| {
        let open = async |from: &str, to: &str| {
            let url = story.url.replacen(from, to, 1);
            assert_ne!(url, story.url);
            sentence(Store::open(&url).await)
        };
        let message = open("/story_", "/no_story_").await;
        assert!(message.contains("no database of that name"), "{message}");
        let message = open("postgres@", "nobody@").await;
        assert!(message.contains("refuses the user"), "{message}");

        let name = story
            .query_rows("SELECT CAST(current_database() AS TEXT)")
            .await[0][0]
            .clone();
        story
            .execute_sql(format!(
                "ALTER DATABASE {name} SET default_transaction_read_only = on"
            ))
            .await;
        let message = sentence(Store::open(&story.url).await);
        assert!(message.contains("read-only copy"), "{message}");
    })
    .await;
}

#[tokio::test]
async fn a_file_that_cannot_be_written_is_read_as_it_is() {
    on_sqlite(async |story| {
        let study = story.add_study("river", None).await;
        story.store.close().await;
        let file = &story.file().expect("a file");
        let beside = || {
            let folder = std::fs::read_dir(file.parent().unwrap()).unwrap();
            folder.map(|entry| entry.unwrap().file_name()).collect::<std::collections::BTreeSet<_>>()
        };
        let before = (beside(), std::fs::read(file).unwrap());
        let store = Store::open_read_only(file).await.unwrap();
        assert_eq!(store.studies().await.unwrap()[0].id, study);
        assert_eq!(store.check_integrity().await.unwrap().faults, Vec::<String>::new());
        assert!(store.check_writing(NOW).await.is_err());
        store.close().await;
        assert!((beside(), std::fs::read(file).unwrap()) == before, "nothing was written");

        // A file of another version is not brought up to date.
        let store = Store::open(&sqlite_url(file)).await.unwrap();
        story.execute_sql("DELETE FROM _sqlx_migrations WHERE version = (SELECT MAX(version) FROM _sqlx_migrations)".to_owned()).await;
        store.close().await;
        let why = sentence(Store::open_read_only(file).await);
        assert!(why.contains("another version"), "{why}");
    })
    .await;
}

/// As in a copy of the folder of a killed server.
#[tokio::test]
async fn the_log_beside_a_file_that_cannot_be_written_is_read_too() {
    on_sqlite(async |story| {
        // The store stays open, so that its log stays next to the file.
        let study = story.add_study("river", None).await;
        let store = Store::open_read_only(&story.file().expect("a file"))
            .await
            .unwrap();
        assert_eq!(store.studies().await.unwrap()[0].id, study);
        assert!(store.check_writing(NOW).await.is_err());
        store.close().await;
    })
    .await;
}
