//! Exports of a study: the table of a format, the files that go with it, and a README with the rules and
//! versions behind them.
//!
//! An export is a snapshot of the moment at which it began. It is streamed: only one page of outputs is in
//! memory, and of the ratings only the numbers from which z-scores and ranks are computed.
//!
//! - [`StudyExport`] reads the study and writes each file; [`write_zip`] writes all of them as one archive.
//! - [`ExportSummary`] is the first pass over the study: counts, versions, scales.
//! - One module per table: `simpeval_past`, `simpeval_2022`, `jsonl`, `tidy`, `comparisons`, `gold`, `metric_scores`,
//!   `alignments`, `spans`, `unjudged`.
//! - `readme` writes the README.
//! - [`ComprehensionArchive`] is the export of reading comprehension, [`write_pay_sheet`] that of crowd raters.

mod alignments;
mod archive;
mod comparisons;
mod comprehension;
mod format;
mod gold;
mod jsonl;
mod metric_scores;
mod output_pages;
mod pay_sheet;
mod readme;
mod request;
mod simpeval_2022;
mod simpeval_past;
mod spans;
mod summary;
#[cfg(test)]
mod tests;
mod tidy;
mod unjudged;

use std::{
    error::Error,
    io::{self, Write},
    sync::Arc,
};

use domain::{
    ids::OutputId,
    text::{
        align::{AlignerGrade, Alignment, grid::AlignmentStyle},
        tokenised_text::TokenisedText,
    },
};
use store::{Store, Study, metrics::StudyMetric};
use tokio::runtime::Handle;

use self::output_pages::OutputPages;
pub use archive::write_zip;
pub use comprehension::ComprehensionArchive;
pub use format::{ExportFile, ExportFormat};
pub use jsonl::format_timestamp;
pub use pay_sheet::write_pay_sheet;
pub use request::{AlignmentEdits, ExportRequest};
pub use summary::ExportSummary;

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
pub enum ExportFailure {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// Writing failed.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// Stored data of an imported row are invalid.
    #[error("the stored parts of the imported row of output {0} are invalid")]
    RowExtras(OutputId, #[source] serde_json::Error),
    /// Words could not be aligned.
    #[error("words could not be aligned")]
    Align(#[source] Box<dyn Error + Send + Sync>),
}

/// Links the words of one output to those of its source.
pub type AlignWords = dyn Fn(
        &TokenisedText,
        &TokenisedText,
        AlignmentStyle,
    ) -> Result<Alignment, Box<dyn Error + Send + Sync>>
    + Send
    + Sync;

/// The aligner that links the words that edits leave open, in an export of alignments.
#[derive(Clone)]
pub struct WordAligner {
    /// Its grade.
    pub grade: AlignerGrade,
    /// Its version, which the README names.
    pub version: u32,
    /// The function that aligns two texts.
    pub align: Arc<AlignWords>,
}

/// An export that has begun.
pub struct StudyExport {
    pages: OutputPages,
    context: ExportContext,
}

/// The data that all files of an export share.
pub struct ExportContext {
    /// The study.
    pub study: Study,
    /// The options.
    pub request: ExportRequest,
    /// The result of the first pass over the study.
    pub summary: ExportSummary,
    /// The number of the newest event that is included.
    pub event: i64,
    /// When the export began, in milliseconds since 1970.
    pub at_ms: i64,
    /// The study's metrics, in the order in which they were added.
    pub metrics: Vec<StudyMetric>,
    /// The aligner for the words that edits leave open.
    pub aligner: WordAligner,
}

impl ExportContext {
    /// Whether a file of the format is part of this export: one that would hold no rows is left out.
    pub fn includes(&self, file: ExportFile) -> bool {
        file != ExportFile::Unjudged || self.summary.unjudged > 0
    }

    /// The number of lines of alignments; `None` for other formats.
    pub fn alignment_lines(&self) -> Option<u64> {
        let ExportSummary {
            corrected_edits: corrected,
            accepted_edits: accepted,
            ..
        } = self.summary;
        let lines = match self.request.edits {
            AlignmentEdits::Corrected => corrected,
            AlignmentEdits::WithAccepted => corrected + accepted,
        };
        (self.request.format == ExportFormat::Alignments).then_some(lines)
    }
}

impl StudyExport {
    /// Begins an export of the study's current state, and makes the first pass over it.
    pub async fn begin(
        store: &Store,
        study: Study,
        request: ExportRequest,
        aligner: WordAligner,
        at_ms: i64,
    ) -> Result<Self, ExportFailure> {
        let mut export = store.begin_export(study.id, request.which).await?;
        let summary = ExportSummary::read(&mut export, &request).await?;
        let context = ExportContext {
            event: export.event,
            study,
            request,
            summary,
            at_ms,
            metrics: std::mem::take(&mut export.metrics),
            aligner,
        };
        let runtime = Handle::current();
        Ok(Self {
            pages: OutputPages {
                export,
                runtime,
                formula_cells: 0,
                comparisons: 0,
                marked_outputs: 0,
            },
            context,
        })
    }

    /// The data that its files share.
    pub const fn context(&self) -> &ExportContext {
        &self.context
    }

    /// The number of cells in the CSV files written so far that a spreadsheet would run as formulas, guarded or
    /// not.
    pub const fn formula_cells(&self) -> u64 {
        self.pages.formula_cells
    }

    /// The number of comparisons written so far; `None` for other formats.
    pub fn comparisons(&self) -> Option<u64> {
        let writes = self.context.request.format == ExportFormat::Comparisons;
        writes.then_some(self.pages.comparisons)
    }

    /// The number of an output's judgements with marked spans written so far; `None` for other formats.
    pub fn marked_outputs(&self) -> Option<u64> {
        let format = self.context.request.format;
        let writes = matches!(format, ExportFormat::Spans | ExportFormat::Thresh);
        writes.then_some(self.pages.marked_outputs)
    }

    /// Writes one of the files. Waits for the database, so it has to run on a thread that may block.
    pub fn write(&mut self, part: ExportFile, out: &mut dyn Write) -> Result<(), ExportFailure> {
        let (context, pages) = (&self.context, &mut self.pages);
        match (part, context.request.format) {
            (ExportFile::Readme, _) => Ok(readme::write(context, out)?),
            (ExportFile::Raters, _) => simpeval_2022::write_raters(context, pages, out),
            (ExportFile::Unjudged, _) => unjudged::write(context, pages, out),
            (ExportFile::Signatures, _) => metric_scores::write_signatures(context, pages, out),
            (ExportFile::Table, ExportFormat::Tidy) => tidy::write(context, pages, out),
            (ExportFile::Table, ExportFormat::Comparisons) => {
                comparisons::write(context, pages, out)
            }
            (ExportFile::Table, ExportFormat::Spans) => spans::write(context, pages, out),
            (ExportFile::Table, ExportFormat::Thresh) => spans::write_thresh(context, pages, out),
            (ExportFile::Table, ExportFormat::Gold) => gold::write(context, pages, out),
            (ExportFile::Table, ExportFormat::MetricScores) => {
                metric_scores::write(context, pages, out)
            }
            (ExportFile::Table, ExportFormat::SimpevalPast) => {
                simpeval_past::write(context, pages, out)
            }
            (ExportFile::Table, ExportFormat::Simpeval2022) => {
                simpeval_2022::write(context, pages, out)
            }
            (ExportFile::Table, ExportFormat::Jsonl) => jsonl::write(context, pages, out),
            (ExportFile::Table, ExportFormat::Alignments) => alignments::write(context, pages, out),
        }
    }
}
