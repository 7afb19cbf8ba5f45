//! Importing a file: upload, preview, import.

mod choose;
mod columns;
mod imports;
mod job;
mod options;
mod preview;
mod reading;
mod references;
mod report;
mod scores;
mod summary;
mod undo;

pub use choose::ImportPage;
pub use job::ImportJobPage;
pub use preview::PreviewPage;
pub use reading::{InputFields, OtherReading, input_options, with_sheet};
use store::{Job, JobState};
pub use summary::kind_options;
pub use undo::UndoImportPage;

use service::import::{ImportOutcome, ImportReport};

/// The stage of an import, with its outcome.
enum ImportStage {
    Queued,
    Running,
    Done(Box<ImportReport>),
    /// Nothing was imported, because every row had to be valid.
    Refused(Box<ImportReport>),
    Failed(String),
    Cancelled,
}

impl ImportStage {
    fn from_job(job: &Job) -> Self {
        match job.state {
            JobState::Queued => Self::Queued,
            JobState::Running => Self::Running,
            JobState::Cancelled => Self::Cancelled,
            JobState::Failed => Self::Failed(job.failure.clone().unwrap_or_default()),
            JobState::Done => {
                let result = job.result.clone().unwrap_or_default();
                serde_json::from_value(result).map_or_else(
                    |_| Self::Failed("An older version of the program imported this.".into()),
                    |outcome| match outcome {
                        ImportOutcome::Imported(report) => Self::Done(Box::new(report)),
                        ImportOutcome::Strict(report) => Self::Refused(Box::new(report)),
                    },
                )
            }
        }
    }
}
