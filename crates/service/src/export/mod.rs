//! Exports of a study: the table of a format, the files that go with it, and a README with the rules and
//! versions behind them.
//!
//! An export is a snapshot of the moment at which it began. It is streamed: only one page of outputs is in
//! memory, and of the ratings only the numbers from which z-scores and ranks are computed.
//!
//! - [`StudyExport`] reads the study and writes each file; [`write_zip`] writes all of them as one archive.
//! - [`ExportSummary`] is the first pass over the study: counts, versions, scales.
//! - One module per table: `simpeval_past`, `simpeval_2022`, `jsonl`, `tidy`, `metric_scores`, `alignments`.
//! - `readme` writes the README.
//! - [`ComprehensionArchive`] is the export of reading comprehension.

mod alignments;
mod archive;
mod comprehension;
mod jsonl;
mod metric_scores;
mod readme;
mod simpeval_2022;
mod simpeval_past;
mod summary;
#[cfg(test)]
mod tests;
mod tidy;

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
use formats::FormulaEscaping;
use store::{
    Store, Study,
    export::{ExportSnapshot, ExportedOutput},
    metrics::StudyMetric,
    rating_rows::RatingScope,
};
use tokio::runtime::Handle;

use crate::import::row_extras::RowExtras;
pub use archive::write_zip;
pub use comprehension::ComprehensionArchive;
pub use jsonl::format_timestamp;
pub use summary::ExportSummary;

/// The number of outputs that are read at a time.
const PAGE_SIZE: u32 = 500;

/// The formats, by the names that commands and addresses use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// CSV, one column per rater; what `import` read is written verbatim.
    SimpevalPast,
    /// CSV with slots of ratings, and a second file that names the rater of each.
    Simpeval2022,
    /// All data, one JSON object per output.
    Jsonl,
    /// CSV, one row per rating, of every dimension: for statistics programs.
    Tidy,
    /// CSV, one column per metric, and a second file with their signatures.
    MetricScores,
    /// Word alignments from corrected edits, to train an aligner with: columns separated by tabs, as in
    /// MultiMWA, one line per output and annotator.
    Alignments,
}

impl ExportFormat {
    /// All formats, in the order in which they are offered.
    pub const ALL: [Self; 6] = [
        Self::SimpevalPast,
        Self::Simpeval2022,
        Self::Jsonl,
        Self::Tidy,
        Self::MetricScores,
        Self::Alignments,
    ];

    /// The format with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// A sentence on its contents.
    pub const fn description(self) -> &'static str {
        match self {
            Self::SimpevalPast => {
                "CSV, one column a rater; what `import` read comes out to the letter"
            }
            Self::Simpeval2022 => {
                "CSV with slots of ratings, and a second file that names who is behind each"
            }
            Self::Jsonl => "Everything, one JSON object an output",
            Self::Tidy => "CSV, one row a rating, of every dimension: for statistics programs",
            Self::MetricScores => {
                "CSV, one column a metric, and a second file with their signatures"
            }
            Self::Alignments => {
                "Word alignments as corrected edits show them, to train an aligner with: columns \
                 separated by tabs, as in MultiMWA, one line an output and annotator"
            }
        }
    }

    /// The name in commands and addresses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SimpevalPast => "simpeval-past",
            Self::Simpeval2022 => "simpeval-2022",
            Self::Jsonl => "jsonl",
            Self::Tidy => "tidy",
            Self::MetricScores => "metric-scores",
            Self::Alignments => "alignments",
        }
    }

    /// The extension of the table's file name.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::SimpevalPast | Self::Simpeval2022 | Self::Tidy | Self::MetricScores => ".csv",
            Self::Jsonl => ".jsonl",
            Self::Alignments => ".tsv",
        }
    }

    /// The files of an export, in the order in which they are written.
    pub const fn files(self) -> &'static [ExportFile] {
        match self {
            Self::SimpevalPast | Self::Jsonl | Self::Tidy | Self::Alignments => {
                &[ExportFile::Readme, ExportFile::Table]
            }
            Self::Simpeval2022 => &[ExportFile::Readme, ExportFile::Raters, ExportFile::Table],
            Self::MetricScores => &[
                ExportFile::Readme,
                ExportFile::Signatures,
                ExportFile::Table,
            ],
        }
    }
}

/// One file of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFile {
    /// The outputs with their ratings.
    Table,
    /// The rater of each rating in the table.
    Raters,
    /// The metric of each column in the table.
    Signatures,
    /// Rules, versions and the meaning of columns.
    Readme,
}

impl ExportFile {
    /// The file's name, for a table whose name is `stem` with the format's extension.
    pub fn file_name(self, stem: &str, format: ExportFormat) -> String {
        let ending = match self {
            Self::Table => format.extension(),
            Self::Raters => ".raters.csv",
            Self::Signatures => ".signatures.csv",
            Self::Readme => ".README.md",
        };
        format!("{stem}{ending}")
    }
}

/// The options of an export.
#[derive(Debug, Clone)]
pub struct ExportRequest {
    /// The format.
    pub format: ExportFormat,
    /// The scope of the answers; alignments are always of what was handed in.
    pub which: RatingScope,
    /// The dimension of the ratings in a SimpEval table; JSONL and the tidy table have all.
    pub dimension: String,
    /// The treatment of cells that a spreadsheet would run as formulas.
    pub cells: FormulaEscaping,
    /// The edits that alignments are made of.
    pub edits: AlignmentEdits,
}

/// The edits that alignments are made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AlignmentEdits {
    /// The edits of outputs that an annotator corrected.
    #[default]
    Corrected,
    /// Also the edits that an annotator left as they were.
    WithAccepted,
}

impl ExportRequest {
    /// Whether ratings on this dimension are included.
    fn includes_dimension(&self, dimension: &str) -> bool {
        match self.format {
            ExportFormat::Jsonl | ExportFormat::Tidy => true,
            ExportFormat::SimpevalPast | ExportFormat::Simpeval2022 => self.dimension == dimension,
            ExportFormat::MetricScores | ExportFormat::Alignments => false,
        }
    }
}

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

struct OutputPages {
    export: ExportSnapshot,
    runtime: Handle,
    /// The number of cells in CSV files that a spreadsheet would run as formulas, guarded or not.
    formula_cells: u64,
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

    /// Writes one of the files. Waits for the database, so it has to run on a thread that may block.
    pub fn write(&mut self, part: ExportFile, out: &mut dyn Write) -> Result<(), ExportFailure> {
        let (context, pages) = (&self.context, &mut self.pages);
        match (part, context.request.format) {
            (ExportFile::Readme, _) => Ok(readme::write(context, out)?),
            (ExportFile::Raters, _) => simpeval_2022::write_raters(context, pages, out),
            (ExportFile::Signatures, _) => metric_scores::write_signatures(context, pages, out),
            (ExportFile::Table, ExportFormat::Tidy) => tidy::write(context, pages, out),
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

impl OutputPages {
    /// Calls `take` for every output from the first one on, with the further parts of its imported row.
    fn for_each_output(
        &mut self,
        mut take: impl FnMut(&ExportedOutput, Option<&RowExtras<'_>>) -> Result<(), ExportFailure>,
    ) -> Result<(), ExportFailure> {
        self.export.rewind();
        loop {
            let page = self.runtime.block_on(self.export.next_page(PAGE_SIZE))?;
            if page.is_empty() {
                return Ok(());
            }
            for output in &page {
                take(output, parse_row_extras(output)?.as_ref())?;
            }
        }
    }
}

/// The further parts of an output's imported row.
fn parse_row_extras(output: &ExportedOutput) -> Result<Option<RowExtras<'static>>, ExportFailure> {
    let parse = |text: &String| serde_json::from_str(text);
    let extras = output.verbatim.as_ref().map(parse).transpose();
    extras.map_err(|error| ExportFailure::RowExtras(output.output, error))
}
