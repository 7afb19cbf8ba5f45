//! Copies of a database in use, and the faults that a check finds.

use std::fs;

use sqlx::{AnyConnection, Connection as _};
use store::{DatabaseCheck, Store, sqlite_url};
use stories::{NOW, on_both, on_sqlite};

use crate::migrations::go_back_to;

#[tokio::test]
async fn a_copy_made_while_answers_are_saved_holds_what_was_saved_before() {
    on_sqlite(async |story| {
        let study = story.add_study("river", None).await;
        let folder = tempfile::tempdir().unwrap();
        let before = story.store.check_integrity().await.unwrap();
        for number in 0..5 {
            let file = folder.path().join(format!("copy {number}.sqlite"));
            let work = async {
                for _ in 0..20 {
                    story.store.close_study(study, NOW).await.unwrap();
                    story.store.reopen_study(study, NOW).await.unwrap();
                }
            };

            let (copied, ()) = tokio::join!(story.store.back_up(&file), work);
            let copied = copied.unwrap();
            assert_eq!(copied.faults, [""; 0]);
            assert!(copied.events >= before.events, "{copied:?}");
            let copy = Store::open(&sqlite_url(&file)).await.unwrap();
            assert_eq!(copy.check_integrity().await.unwrap(), copied);
            assert_eq!(copy.studies().await.unwrap().len(), 1);
            copy.close().await;
            let again = story.store.back_up(&file).await.unwrap_err().to_string();
            assert!(again.contains("is there already"), "{again}");
        }

        let names = fs::read_dir(folder.path()).unwrap();
        let left = names.filter(|name| {
            let name = name.as_ref().unwrap().file_name();
            name.to_string_lossy().contains("part")
        });
        assert_eq!(left.count(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_check_names_gaps_and_broken_histories() {
    on_both(async |story| {
        let study = story.add_study("river", None).await;
        story.store.close_study(study, NOW).await.unwrap();
        let sound = story.store.check_integrity().await.unwrap();
        assert_eq!(sound.faults, [""; 0]);
        assert!(sound.studies == 1 && sound.events > 0, "{sound:?}");

        story
            .execute_sql("UPDATE study SET events = events + 1".into())
            .await;
        let DatabaseCheck { faults, .. } = story.store.check_integrity().await.unwrap();
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].contains("have a gap"), "{faults:?}");
    })
    .await;
}

#[tokio::test]
async fn a_database_is_copied_before_it_is_migrated() {
    on_sqlite(async |story| {
        let newest = go_back_to(story, 12).await;
        let file = story.file().unwrap();
        for _ in 0..2 {
            let store = Store::open(&story.url).await.unwrap();
            store.check_writing(1).await.unwrap();
            store.close().await;
        }

        let copy = format!("{}.before-{newest:04}", file.display());
        let mut copy = AnyConnection::connect(&sqlite_url(copy.as_ref()))
            .await
            .unwrap();
        let count = |sql| sqlx::query_scalar::<_, i64>(sql);
        let events = count("SELECT COUNT(*) FROM event").fetch_one(&mut copy);
        assert_eq!(events.await.unwrap(), 3);
        let kept = count("SELECT MAX(version) FROM _sqlx_migrations").fetch_one(&mut copy);
        assert_eq!(kept.await.unwrap(), 12);
    })
    .await;
}
