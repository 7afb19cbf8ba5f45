//! Imports of files into a study.
//!
//! An upload is previewed first ([`UploadedFiles`], [`rehearse_sources`]). Then a job ([`ImportJob`]) imports
//! it by one of three functions: [`import_sources`] for sources with outputs and ratings, and
//! [`import_references`] and [`import_scores`] for additions to sources and outputs that the study has.
//! Each of them returns an [`ImportReport`]. The command line calls the same functions without a job.

mod choices;
mod job;
mod job_monitor;
mod kind_notes;
mod known_sources;
mod lifecycle;
mod matched_references;
mod preview_turns;
mod references;
mod rehearsal;
mod report;
mod row;
pub(crate) mod row_extras;
mod scores;
mod sources;
mod stored_rows;
mod summary;
#[cfg(test)]
mod tests;
mod upload_reader;
mod uploaded_files;

pub use choices::ImportChoices;
pub use job::{ImportJob, ImportKind, ImportOptions, ReadOptions};
pub use job_monitor::{JobMonitor, JobQueueReceiver, RunningJobProgress};
pub use lifecycle::{ImportFailure, ImportOrigin};
pub use matched_references::{
    FileReferences, ReferenceSummary, SimilarText, SourceWithoutReferences, UnusedReferenceText,
};
pub use preview_turns::{PreviewTurn, PreviewTurns};
pub use references::{AcceptedReferences, import_references};
pub use rehearsal::rehearse_sources;
pub use report::{ImportOutcome, ImportReport, MatchedRowCounts};
pub use scores::import_scores;
pub use sources::import_sources;
pub use stored_rows::{store_file, write_rows};
pub use summary::{
    DimensionSummary, ImportSummary, SystemKindOrigin, SystemSummary, UNNAMED, resolve_kinds,
};
pub use upload_reader::UploadReader;
pub use uploaded_files::{ImportFileError, MatchedReferences, UploadPreview, UploadedFiles};
