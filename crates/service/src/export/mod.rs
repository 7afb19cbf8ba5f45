//! Exports of a study: the table of a format, the files that go with it, and a README with the rules and
//! versions behind them.
//!
//! An export is a snapshot of the moment at which it began. It is streamed: only one page of outputs is in
//! memory, and of the ratings only the numbers from which z-scores and ranks are computed.
//!
//! - [`StudyExport`] reads the study and writes each file; [`write_zip`] writes all of them as one archive.
//! - [`ExportSummary`] is the first pass over the study: counts, versions, scales.
//! - One module per table: `simpeval_past`, `simpeval_2022`, `jsonl`, `tidy`, `comparisons`, `answers`, `written`,
//!   `gold`, `metric_scores`, `alignments`, `spans`, `unjudged`.
//! - `dataset` writes a folder of Parquet files with a dataset card.
//! - `readme` writes the README, and `schemas` holds the schemas of the other files.
//! - [`ComprehensionArchive`] is the export of reading comprehension, [`write_pay_sheet`] that of crowd raters.

mod alignments;
mod answers;
mod archive;
mod comparisons;
mod comprehension;
mod dataset;
mod format;
mod gold;
mod groups;
mod jsonl;
mod metric_scores;
mod output_pages;
mod pay_sheet;
mod readme;
mod request;
mod schemas;
mod simpeval_2022;
mod simpeval_past;
mod spans;
mod summary;
mod table_cell;
#[cfg(test)]
mod tests;
mod tidy;
mod unjudged;
mod written;

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
use parquet::errors::ParquetError;
use store::{Store, Study, metrics::StudyMetric};
use tokio::runtime::Handle;

use self::output_pages::OutputPages;
use crate::{computation::FigureError, live::LiveStudies, written_texts::WordRanks};
pub(crate) use alignments::edit_reviews;
pub use archive::write_zip;
pub use comprehension::ComprehensionArchive;
use dataset::DatasetAgreement;
pub use dataset::{
    BadLanguages, BadLicense, DatasetLanguages, DatasetLicense, DatasetOptions, PARQUET_MAGIC,
    ParquetFault, parquet_as_csv,
};
pub use format::{ExportFile, ExportFormat};
pub use jsonl::format_timestamp;
pub use pay_sheet::write_pay_sheet;
pub use request::{AlignmentEdits, ExportRequest};
pub use schemas::TypeSchema;
pub use spans::{SpanMarkLine, span_marks};
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
    /// A table does not fit into a Parquet file.
    #[error("a Parquet file could not be written")]
    Parquet(#[source] ParquetError),
    /// Words could not be aligned.
    #[error("words could not be aligned")]
    Align(#[source] Box<dyn Error + Send + Sync>),
    /// A figure that belongs to the export could not be computed.
    #[error(transparent)]
    Figure(FigureError),
}

impl From<FigureError> for ExportFailure {
    fn from(error: FigureError) -> Self {
        match error {
            FigureError::Database(error) => Self::Store(error),
            error @ FigureError::Panicked(_) => Self::Figure(error),
        }
    }
}

/// Links the words of one output to those of its source.
pub type AlignWords = dyn Fn(
        &TokenisedText,
        &TokenisedText,
        AlignmentStyle,
    ) -> Result<Alignment, Box<dyn Error + Send + Sync>>
    + Send
    + Sync;

/// The aligner that an export of alignments uses for words that edits leave open.
#[derive(Clone)]
pub struct WordAligner {
    /// Its grade.
    pub grade: AlignerGrade,
    /// Its version, which the README names.
    pub version: u32,
    /// The function that aligns two texts.
    pub align: Arc<AlignWords>,
}

/// The aligner and the metric that exports compute with.
#[derive(Clone)]
pub struct ExportTools {
    /// The aligner for the words that edits leave open.
    pub aligner: WordAligner,
    /// Compares the rarity of a written text's words with that of its source's words.
    pub word_ranks: WordRanks,
}

/// An export in progress.
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
    /// The time at which the export began, in milliseconds since 1970.
    pub at_ms: i64,
    /// The study's metrics, in the order in which they were added.
    pub metrics: Vec<StudyMetric>,
    /// The aligner and the metric that the export computes with.
    pub tools: ExportTools,
    /// The agreement between raters, for the card of a dataset folder.
    agreement: DatasetAgreement,
}

impl ExportContext {
    /// Whether a file of the format is part of this export. Answers that not every study has are left out if there are
    /// none.
    pub const fn includes(&self, file: ExportFile) -> bool {
        match file {
            ExportFile::Unjudged => self.summary.unjudged > 0,
            ExportFile::Comparisons => self.summary.comparisons > 0,
            ExportFile::Spans => self.summary.marked_outputs > 0,
            ExportFile::Answers => self.summary.answers > 0,
            _ => true,
        }
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
    /// Begins an export of the study's current state, and makes the first pass over it. `live` provides the figures for
    /// the card of a dataset folder.
    pub async fn begin(
        store: &Store,
        live: &LiveStudies,
        study: Study,
        request: ExportRequest,
        tools: ExportTools,
        at_ms: i64,
    ) -> Result<Self, ExportFailure> {
        let mut export = store.begin_export(study.id, request.which).await?;
        let mut summary = ExportSummary::read(&mut export, &request).await?;
        summary.name_groups(groups::names(&export.raters, &study.settings.groups));

        let agreement = match request.format {
            ExportFormat::Dataset => {
                DatasetAgreement::read(store, live, &study, request.which, &summary).await?
            }
            _ => DatasetAgreement::default(),
        };

        let context = ExportContext {
            event: export.event,
            study,
            request,
            summary,
            at_ms,
            metrics: std::mem::take(&mut export.metrics),
            tools,
            agreement,
        };

        let runtime = Handle::current();
        Ok(Self {
            pages: OutputPages {
                export,
                runtime,
                formula_cells: 0,
                comparisons: 0,
                answers: 0,
                written_texts: 0,
                marked_outputs: 0,
            },
            context,
        })
    }

    /// The data that the files share.
    pub const fn context(&self) -> &ExportContext {
        &self.context
    }

    /// The number of cells in the CSV files written so far that a spreadsheet would run as formulas, whether they are
    /// guarded or not.
    pub const fn formula_cells(&self) -> u64 {
        self.pages.formula_cells
    }

    /// The number of comparisons written so far; `None` for other formats.
    pub fn comparisons(&self) -> Option<u64> {
        let format = self.context.request.format;
        let writes = matches!(format, ExportFormat::Comparisons | ExportFormat::Dataset);
        writes.then_some(self.pages.comparisons)
    }

    /// The number of answers to questions written so far; `None` for other formats.
    pub fn answers(&self) -> Option<u64> {
        let format = self.context.request.format;
        let writes = matches!(format, ExportFormat::Answers | ExportFormat::Dataset);
        writes.then_some(self.pages.answers)
    }

    /// The number of annotators' simplifications written so far; `None` for other formats.
    pub fn written_texts(&self) -> Option<u64> {
        (self.context.request.format == ExportFormat::Written).then_some(self.pages.written_texts)
    }

    /// The number of judgements of an output's spans written so far; `None` for other formats.
    pub fn marked_outputs(&self) -> Option<u64> {
        let format = self.context.request.format;
        let writes = matches!(
            format,
            ExportFormat::Spans | ExportFormat::Thresh | ExportFormat::Dataset
        );
        writes.then_some(self.pages.marked_outputs)
    }

    /// Writes one of the files. It blocks on the database, so it has to run on a thread that may block.
    pub fn write(
        &mut self,
        part: ExportFile,
        out: &mut (dyn Write + Send),
    ) -> Result<(), ExportFailure> {
        let (context, pages) = (&self.context, &mut self.pages);

        match (context.request.format, part) {
            (ExportFormat::Dataset, ExportFile::Readme) => Ok(dataset::write_card(context, out)?),
            (ExportFormat::Dataset, table) => dataset::write_table(table, context, pages, out),
            (_, ExportFile::Readme) => Ok(readme::write(context, out)?),
            (_, ExportFile::Raters) => simpeval_2022::write_raters(context, pages, out),
            (_, ExportFile::Unjudged) => unjudged::write(context, pages, out),
            (_, ExportFile::Signatures) => metric_scores::write_signatures(context, pages, out),
            (ExportFormat::Tidy, _) => tidy::write(context, pages, out),
            (ExportFormat::Comparisons, _) => comparisons::write(context, pages, out),
            (ExportFormat::Answers, _) => answers::write(context, pages, out),
            (ExportFormat::Written, _) => written::write(context, pages, out),
            (ExportFormat::Spans, _) => spans::write(context, pages, out),
            (ExportFormat::Thresh, _) => spans::write_thresh(context, pages, out),
            (ExportFormat::Gold, _) => gold::write(context, pages, out),
            (ExportFormat::MetricScores, _) => metric_scores::write(context, pages, out),
            (ExportFormat::SimpevalPast, _) => simpeval_past::write(context, pages, out),
            (ExportFormat::Simpeval2022, _) => simpeval_2022::write(context, pages, out),
            (ExportFormat::Jsonl, _) => jsonl::write(context, pages, out),
            (ExportFormat::Alignments, _) => alignments::write(context, pages, out),
        }
    }
}
