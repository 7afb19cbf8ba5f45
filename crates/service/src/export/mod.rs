//! Takes a study out as files: the table of a format, what belongs beside it, and a README that
//! says by which rules and versions it came about.
//!
//! Everything is of the moment at which the export began, and streams: an export holds a page of
//! outputs, and of the ratings only the numbers that z-scores are computed from.

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

/// Outputs that are held at once.
const PAGE_SIZE: u32 = 500;

/// The formats, by the names that commands and addresses use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// CSV, one column a rater; what `import` read comes out to the letter.
    SimpevalPast,
    /// CSV with slots of ratings, and a second file that names who is behind each.
    Simpeval2022,
    /// Everything, one JSON object an output.
    Jsonl,
    /// CSV, one row a rating, of every dimension: for statistics programs.
    Tidy,
    /// CSV, one column a metric, and a second file with their signatures.
    MetricScores,
    /// Word alignments as corrected edits show them, to train an aligner with: columns separated by
    /// tabs, as in MultiMWA, one line an output and annotator.
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

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// A sentence on what it holds.
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

    /// How the name of the table ends.
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
    /// Who is behind each rating of the table.
    Raters,
    /// Which metric is behind each column of the table.
    Signatures,
    /// Rules, versions and the meaning of columns.
    Readme,
}

impl ExportFile {
    /// Its name beside a table that is called `stem` and the format's ending.
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

/// What is asked for.
#[derive(Debug, Clone)]
pub struct ExportRequest {
    /// As what.
    pub format: ExportFormat,
    /// Whose answers; alignments are always of what was handed in.
    pub which: RatingScope,
    /// The dimension of the ratings in a SimpEval table; JSONL and the tidy table have all.
    pub dimension: String,
    /// What is done to cells that a spreadsheet would run.
    pub cells: FormulaEscaping,
    /// The edits that alignments are made of.
    pub edits: AlignmentEdits,
}

/// The edits that alignments are made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AlignmentEdits {
    /// Those of outputs whose edits an annotator corrected.
    #[default]
    Corrected,
    /// Those that an annotator left as they were, too.
    WithAccepted,
}

impl ExportRequest {
    /// Whether ratings on that dimension go in.
    fn includes_dimension(&self, dimension: &str) -> bool {
        match self.format {
            ExportFormat::Jsonl | ExportFormat::Tidy => true,
            ExportFormat::SimpevalPast | ExportFormat::Simpeval2022 => self.dimension == dimension,
            ExportFormat::MetricScores | ExportFormat::Alignments => false,
        }
    }
}

/// Why an export came to no end.
#[derive(Debug, thiserror::Error)]
pub enum ExportFailure {
    /// The database did not give it.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// Where it goes to does not take it.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// A row of the database is not as an import writes it.
    #[error("what was kept of the imported row of output {0} does not read")]
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

/// The aligner that links what edits leave open, in an export of alignments.
#[derive(Clone)]
pub struct WordAligner {
    /// How good it is.
    pub grade: AlignerGrade,
    /// Its version, as the README names it.
    pub version: u32,
    /// What it does.
    pub align: Arc<AlignWords>,
}

/// An export that has begun.
pub struct StudyExport {
    pages: OutputPages,
    context: ExportContext,
}

/// What all files of an export share.
pub struct ExportContext {
    /// What is taken out.
    pub study: Study,
    /// How.
    pub request: ExportRequest,
    /// What a look at all of it has shown.
    pub summary: ExportSummary,
    /// The number of the newest event that is in it.
    pub event: i64,
    /// When it began, in milliseconds since 1970.
    pub at_ms: i64,
    /// The study's metrics, in the order in which it got them.
    pub metrics: Vec<StudyMetric>,
    /// What links the words that edits leave open, in alignments.
    pub aligner: WordAligner,
}

impl ExportContext {
    /// Lines of alignments; none in other formats.
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
    /// Cells of CSV files that a spreadsheet would run as a formula, guarded or not.
    formula_cells: u64,
}

impl StudyExport {
    /// Begins an export as of now, and looks through it once for what its files begin with.
    pub async fn begin(
        store: &Store,
        study: Study,
        asked: ExportRequest,
        aligner: WordAligner,
        at_ms: i64,
    ) -> Result<Self, ExportFailure> {
        let mut export = store.begin_export(study.id, asked.which).await?;
        let facts = ExportSummary::read(&mut export, &asked).await?;
        let about = ExportContext {
            event: export.event,
            study,
            request: asked,
            summary: facts,
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
            context: about,
        })
    }

    /// What its files share.
    pub const fn context(&self) -> &ExportContext {
        &self.context
    }

    /// Number of cells of the CSV files written so far that a spreadsheet would run as a formula,
    /// guarded or not.
    pub const fn formula_cells(&self) -> u64 {
        self.pages.formula_cells
    }

    /// Writes one of the files. It waits for the database, so it runs on a thread that may block.
    pub fn write(&mut self, part: ExportFile, out: &mut dyn Write) -> Result<(), ExportFailure> {
        let (about, pages) = (&self.context, &mut self.pages);
        match (part, about.request.format) {
            (ExportFile::Readme, _) => Ok(readme::write(about, out)?),
            (ExportFile::Raters, _) => simpeval_2022::write_raters(about, pages, out),
            (ExportFile::Signatures, _) => metric_scores::write_signatures(about, pages, out),
            (ExportFile::Table, ExportFormat::Tidy) => tidy::write(about, pages, out),
            (ExportFile::Table, ExportFormat::MetricScores) => {
                metric_scores::write(about, pages, out)
            }
            (ExportFile::Table, ExportFormat::SimpevalPast) => {
                simpeval_past::write(about, pages, out)
            }
            (ExportFile::Table, ExportFormat::Simpeval2022) => {
                simpeval_2022::write(about, pages, out)
            }
            (ExportFile::Table, ExportFormat::Jsonl) => jsonl::write(about, pages, out),
            (ExportFile::Table, ExportFormat::Alignments) => alignments::write(about, pages, out),
        }
    }
}

impl OutputPages {
    /// Hands every output to `take`, with what was kept of its row, from the first.
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

/// What was kept of an output's row when it was imported.
fn parse_row_extras(output: &ExportedOutput) -> Result<Option<RowExtras<'static>>, ExportFailure> {
    let read = |text: &String| serde_json::from_str(text);
    let kept = output.verbatim.as_ref().map(read).transpose();
    kept.map_err(|error| ExportFailure::RowExtras(output.output, error))
}
