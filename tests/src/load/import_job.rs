//! An import that a server runs while annotators save.

use std::fmt::Write as _;

use domain::ids::{JobId, StudyId, UploadId};
use service::import::{ImportChoices, ImportJob, ImportKind, ImportOptions, ReadOptions};
use store::{JobKind, LARGEST_CHUNK, NewJob, NewUpload};

use crate::{TestDatabase, fresh_id, servers::now_ms};

/// Outputs of each source.
const OUTPUTS: usize = 24;

/// Ratings of each output.
const RATERS: usize = 5;

/// Queues an import of that many outputs, each with five ratings, into a study of its own. A server runs it as soon
/// as it starts.
pub(super) async fn queue_import(database: &TestDatabase, outputs: usize) {
    let study = database.add_study("load-test-import", None).await;
    let upload = upload_file(database, study, &table(outputs)).await;
    let input = ImportJob {
        files: vec![upload],
        names: vec!["simulated.csv".to_owned()],
        raters: None,
        read_options: ReadOptions::default(),
        import_options: ImportOptions::default(),
        kind: ImportKind::Sources,
        choices: ImportChoices::default(),
    };

    let job = NewJob {
        id: JobId(fresh_id()),
        study: Some(study),
        kind: JobKind::Import,
        input: &serde_json::to_value(input).expect("plain data"),
        created_by: None,
    };

    let queued = database.store.enqueue_job(&job, now_ms()).await;
    queued.expect("the database takes it");
}

/// A table with a row for each rating.
fn table(outputs: usize) -> String {
    let mut table = "source_id,source,system,output,rater,rating\n".to_owned();
    for output in 0..outputs {
        let (source, system) = (output / OUTPUTS, output % OUTPUTS);
        for rater in 0..RATERS {
            writeln!(
                table,
                "{source},The source {source} is about as long as a sentence that people simplify for others.,\
                 system {system},The source {source} is as long as others in the words of {system}.,\
                 rater {rater},{}",
                (7 * output + 13 * rater) % 101
            )
            .expect("a text takes all");
        }
    }
    table
}

async fn upload_file(database: &TestDatabase, study: StudyId, text: &str) -> UploadId {
    let (store, id) = (&database.store, UploadId(fresh_id()));
    let new = NewUpload {
        id,
        study,
        name: "simulated.csv",
        size: i64::try_from(text.len()).expect("it is in memory"),
        created_by: None,
    };

    let begun = store.create_upload(&new, now_ms()).await;
    begun.expect("the database takes it");

    for (number, chunk) in (0..).zip(text.as_bytes().chunks(LARGEST_CHUNK)) {
        let sent = store.append_chunk(id, number, chunk).await;
        sent.expect("the database takes it");
    }
    store.seal_upload(id).await.expect("all of it is there");
    id
}
