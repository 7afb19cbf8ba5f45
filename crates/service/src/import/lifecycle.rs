//! The beginning and the end of an import, which all imports share.

use std::time::Duration;

use domain::ids::{JobId, PersonId, StudyId};
use formats::FatalReadError;
use store::{Store, import::StudyImport};
use tokio::runtime::Handle;

use super::{ImportReport, RunningJobProgress, upload_reader::find_store_error};
use crate::Context;

/// The number of rows after which an import renews its lease and sends the batches that fill a transaction.
pub(super) const BATCH_SIZE: u64 = 250;

/// The interval at which an import checks whether another import of its study has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The person who started an import and the names of its files. The default is an import by the command
/// line without files.
#[derive(Debug, Clone, Default)]
pub struct ImportOrigin {
    /// The person who started it in a browser.
    pub person: Option<PersonId>,
    /// The names of its files.
    pub names: Vec<String>,
    /// The job that runs it.
    pub job: Option<JobId>,
}

/// Why nothing of a file was imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportFailure {
    /// The file as a whole cannot be read.
    #[error("{0}")]
    File(#[source] FatalReadError),
    /// Every row has to be good, but some are not.
    #[error("{} of {} rows are bad, so nothing was imported (strict)", .0.bad, .0.rows)]
    Strict(Box<ImportReport>),
    /// The import was cancelled.
    #[error("the import was cancelled; nothing of it was kept")]
    Cancelled,
    /// The database refused it, or failed.
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl ImportFailure {
    /// The message for pages, which mentions no flags.
    #[must_use]
    pub fn page_message(&self) -> String {
        match self {
            Self::File(fault) => fault.page_message(),
            other => other.to_string(),
        }
    }
}

impl From<FatalReadError> for ImportFailure {
    fn from(fault: FatalReadError) -> Self {
        find_store_error(fault).map_or_else(Self::File, Self::Store)
    }
}

/// Begins an import as soon as no other import of the study is running. If its job was interrupted before, the rows
/// of the earlier run are deleted.
pub(super) async fn begin(
    store: &Store,
    context: Context,
    study: StudyId,
    origin: &ImportOrigin,
    progress: &RunningJobProgress,
) -> Result<StudyImport, ImportFailure> {
    loop {
        let (now_ms, ids) = (context.now_ms(), context.ids);
        let import = match origin.job {
            Some(job) => store.begin_job_import(study, job, now_ms, ids).await,
            None => store.begin_import(study, now_ms, ids).await,
        };

        match import {
            Err(store::Error::ImportUnderWay) if progress.stop_requested() => {
                return Err(ImportFailure::Cancelled);
            }
            Err(store::Error::ImportUnderWay) => tokio::time::sleep(POLL_INTERVAL).await,
            Err(error) => return Err(error.into()),
            Ok(mut import) => {
                import.describe(origin.person, &origin.names);
                return Ok(import);
            }
        }
    }
}

/// Runs `add_rows` on a thread that may block, and then makes the rows visible to everybody. If it fails, its rows are
/// deleted. Returns the report with the other result of `add_rows`.
pub(super) async fn complete<T: Send + 'static>(
    store: &Store,
    context: Context,
    mut import: StudyImport,
    add_rows: impl FnOnce(&Handle, &mut StudyImport) -> Result<(ImportReport, T), ImportFailure>
    + Send
    + 'static,
) -> Result<(ImportReport, T), ImportFailure> {
    let runtime = Handle::current();

    let work = move || {
        let report = add_rows(&runtime, &mut import);
        (import, report)
    };
    let (import, report) = tokio::task::spawn_blocking(work)
        .await
        .expect("reading rows does not panic");

    match report {
        Ok((mut report, rest)) => {
            report.new = import.commit().await?;
            Ok((report, rest))
        }
        Err(failure) => {
            let cleanup = async {
                import.rollback().await?;
                // A server that shuts down has no time to delete rows; the next one does.
                match failure {
                    ImportFailure::Cancelled => Ok(0),
                    _ => store.clear_imports(context.now_ms()).await,
                }
            };
            if let Err(error) = cleanup.await {
                tracing::warn!(%error, "rows of an import are left to be deleted later");
            }
            Err(failure)
        }
    }
}

/// Renews the import's lease, and sends rows if there are enough for a transaction.
pub(super) fn send_batch(
    context: Context,
    runtime: &Handle,
    import: &mut StudyImport,
) -> store::Result<()> {
    import.renew(context.now_ms());
    runtime.block_on(import.flush_full())
}
