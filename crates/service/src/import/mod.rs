//! Files on their way into a study: previews and summaries of what was uploaded, the jobs that bring
//! them in, and the import itself.

mod choices;
mod file_references;
mod files;
mod job_monitor;
mod jobs;
mod reader;
mod references;
mod report;
mod row;
pub(crate) mod row_extras;
mod run;
mod scores;
mod summary;
mod system_kinds;

pub use choices::ImportChoices;
pub use file_references::{
    FileReferences, ReferenceSummary, SimilarText, SourceWithoutReferences, UnusedReferenceText,
};
pub use files::{ImportFileError, UploadPreview, UploadedFiles};
pub use job_monitor::{JobMonitor, RunningJobProgress};
pub use jobs::{IMPORT, ImportJob, ImportKind, ImportOptions, ReadOptions};
pub use reader::UploadReader;
pub use references::{AcceptedReferences, import_references};
pub use report::{ImportOutcome, ImportReport, MatchedRowCounts};
pub use run::{ImportFailure, ImportOrigin, import_sources};
pub use scores::import_scores;
pub use summary::{
    DimensionSummary, ImportSummary, SystemKindOrigin, SystemSummary, UNNAMED, resolve_kinds,
};
