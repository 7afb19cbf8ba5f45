//! Imports of jobs that were interrupted and run again.

use std::sync::Arc;

use domain::{
    ids::{JobId, StudyId, UploadId},
    study::{SourcePurpose, StudySettings},
};
use service::{
    Context,
    import::{
        ImportFailure, ImportFileError, ImportOptions, ImportOrigin, ImportReport, ReadOptions,
        RunningJobProgress, UploadedFiles, import_sources,
    },
};
use store::{Error, LARGEST_CHUNK, NewUpload, Store, import::ImportCounts};
use stories::{NOW, TestDatabase, fresh_id, on_both, on_postgres};

use crate::study_fixture::create_study;

/// Ids that count up, and a clock that never moves.
const CONTEXT: Context = Context {
    clock: || NOW,
    ids: fresh_id,
    random: || [7; 32],
};

/// Imports one source, as a job.
async fn import_one(store: &Store, study: StudyId, job: JobId, key: &str) -> ImportCounts {
    let import = store.begin_job_import(study, job, NOW, fresh_id).await;
    let mut import = import.unwrap();
    let text = "What was simplified.";
    import.source(Some(key), text, SourcePurpose::Main).unwrap();
    import.commit().await.unwrap()
}

async fn source_keys(store: &Store, study: StudyId) -> Vec<String> {
    let sources = store.sources(study).await.unwrap();
    sources.into_iter().map(|source| source.key).collect()
}

#[tokio::test]
async fn rows_that_a_job_left_do_not_wait_for_their_lease() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let (store, job) = (&story.store, JobId(fresh_id()));
        let other = story.another_store().await;
        let killed = other.begin_job_import(study, job, NOW, fresh_id).await;
        let mut killed = killed.unwrap();
        killed
            .source(Some("half"), "What was read.", SourcePurpose::Main)
            .unwrap();
        killed.flush().await.unwrap();
        let early = store.begin_import(study, NOW, fresh_id).await;
        assert!(matches!(early.err(), Some(Error::ImportUnderWay)));

        let counts = import_one(store, study, job, "whole").await;
        assert_eq!(counts.sources, 1);
        assert_eq!(source_keys(store, study).await, ["whole"]);
        let rows = story.query_rows("SELECT id FROM stored_source").await;
        assert_eq!(rows.len(), 1);
        // The first run was only slow: it is told, and nothing of it is kept.
        assert!(killed.commit().await.is_err());
        assert_eq!(source_keys(store, study).await, ["whole"]);
        other.close().await;
    })
    .await;
}

/// The demonstration dates its outputs back, while a server may run.
#[tokio::test]
async fn an_import_that_is_dated_back_is_not_taken_for_dead() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let other = story.another_store().await;
        let mut import = story
            .store
            .begin_import(study, NOW, fresh_id)
            .await
            .unwrap();
        import.date_rows(NOW - 7 * 24 * 3_600_000);
        import
            .source(Some("old"), "What was read.", SourcePurpose::Main)
            .unwrap();
        import.flush().await.unwrap();

        assert_eq!(other.clear_imports(NOW + 1).await.unwrap(), 0);
        import.commit().await.unwrap();
        let [entry] = &story.store.imports(study).await.unwrap()[..] else {
            panic!("one import");
        };
        assert_eq!(entry.ended_at, NOW - 7 * 24 * 3_600_000);
        other.close().await;
    })
    .await;
}

#[tokio::test]
async fn an_import_that_was_done_before_its_job_ended_keeps_its_counts() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let (store, job) = (&story.store, JobId(fresh_id()));
        let first = import_one(store, study, job, "one").await;
        let again = import_one(store, study, job, "one").await;
        assert_eq!((first, first.sources), (again, 1));
        assert_eq!(source_keys(store, study).await, ["one"]);
        let another = import_one(store, study, JobId(fresh_id()), "one").await;
        assert_eq!(another, ImportCounts::default());
    })
    .await;
}

#[tokio::test]
async fn an_import_that_was_undone_is_not_run_again_by_its_job() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let (store, job) = (&story.store, JobId(fresh_id()));
        import_one(store, study, job, "one").await;
        let import = store.imports(study).await.unwrap()[0].id;
        assert!(store.undo_import(study, import, NOW).await.unwrap());
        let again = store.begin_job_import(study, job, NOW, fresh_id).await;
        assert!(matches!(again.err(), Some(Error::Refused(_))));
        assert_eq!(source_keys(store, study).await, [""; 0]);
    })
    .await;
}

#[tokio::test]
async fn two_processes_that_delete_the_same_rows_leave_none() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let (store, other) = (&story.store, story.another_store().await);
        let mut import = store.begin_import(study, NOW, fresh_id).await.unwrap();
        for number in 0..2_500 {
            let key = number.to_string();
            let text = format!("Source {number}.");
            import
                .source(Some(&key), &text, SourcePurpose::Main)
                .unwrap();
        }
        import.flush().await.unwrap();
        import.rollback().await.unwrap();

        let (one, two) = tokio::join!(store.clear_imports(NOW), other.clear_imports(NOW));
        assert!(one.unwrap() + two.unwrap() > 0);
        let rows = story.query_rows("SELECT id FROM stored_source").await;
        assert_eq!(rows.len(), 0);
        assert!(story.query_rows("SELECT id FROM import").await.is_empty());
        other.close().await;
    })
    .await;
}

/// A file of more than one chunk.
fn many_rows() -> String {
    let row = |number| {
        let text = format!("Number {number} is the source that says a lot about ferries.");
        let output = format!("Output {number} says less of them.");
        format!("{text}{},A,{output}\n", " And more.".repeat(40))
    };
    "source,system,output\n".to_owned() + &(0..3_000).map(row).collect::<String>()
}

async fn upload(story: &TestDatabase, study: StudyId, text: &str) -> UploadId {
    let (store, id) = (&story.store, UploadId(fresh_id()));
    let new = NewUpload {
        id,
        study,
        name: "rows.csv",
        size: i64::try_from(text.len()).unwrap(),
        created_by: None,
    };
    store.create_upload(&new, NOW).await.unwrap();
    for (number, chunk) in (0..).zip(text.as_bytes().chunks(LARGEST_CHUNK)) {
        store.append_chunk(id, number, chunk).await.unwrap();
    }
    store.seal_upload(id).await.unwrap();
    id
}

/// Imports an uploaded file, as the worker of a job does.
async fn import_upload(
    store: Store,
    study: StudyId,
    upload: UploadId,
    job: JobId,
) -> Result<ImportReport, ImportFailure> {
    let study = store.study(study).await?.expect("the study is there");
    let files = UploadedFiles::find(&store, study.id, &[upload]).await;
    let files = files.map_err(|error| match error {
        ImportFileError::Store(error) => ImportFailure::Store(error),
        other => panic!("the file is there: {other}"),
    })?;

    let progress = Arc::new(RunningJobProgress::default());
    let own = progress.clone();
    let open = move || files.open(&ReadOptions::default(), None, Some(&own));
    let options = ImportOptions::default();
    let origin = ImportOrigin {
        job: Some(job),
        ..ImportOrigin::default()
    };
    import_sources(&store, CONTEXT, study, open, options, origin, progress).await
}

/// The rows of a study, without their ids.
async fn rows_of(story: &TestDatabase, study: StudyId) -> Vec<Vec<String>> {
    let sql = format!(
        "SELECT s.position, s.key, s.text, o.position, o.text, o.category, o.edits
         FROM stored_source s JOIN stored_output o ON o.source_id = s.id
         WHERE s.study_id = '{study}' ORDER BY s.position, o.position"
    );
    story.query_rows(&sql).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_whose_database_restarts_is_no_bad_file_and_brings_the_same_rows_again() {
    on_postgres(async |story| {
        let file = many_rows();
        let (study, job) = (
            create_study(story, &StudySettings::default()).await,
            JobId(fresh_id()),
        );
        let id = upload(story, study, &file).await;

        // A store with connections of its own, so that the test keeps those with which it looks.
        let server = story.another_store().await;
        let importing = tokio::spawn(import_upload(server.clone(), study, id, job));

        // As often as it takes to hit a connection that is in use.
        while !importing.is_finished() {
            let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                       WHERE datname = current_database() AND pid <> pg_backend_pid()";
            story.execute_sql(sql.to_owned()).await;
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }

        match importing.await.unwrap() {
            Err(ImportFailure::Store(error)) => assert!(error.may_pass(), "{error:?}"),
            other => panic!("its connections were closed: {other:?}"),
        }
        assert_eq!(source_keys(&story.store, study).await, [""; 0]);

        let report = import_upload(server.clone(), study, id, job).await.unwrap();
        assert_eq!((report.new.sources, report.new.outputs), (3_000, 3_000));
        let undisturbed = create_study(story, &StudySettings::default()).await;
        let id = upload(story, undisturbed, &file).await;
        let job = JobId(fresh_id());
        import_upload(server.clone(), undisturbed, id, job)
            .await
            .unwrap();
        assert_eq!(
            rows_of(story, study).await,
            rows_of(story, undisturbed).await
        );
        server.close().await;
    })
    .await;
}
