//! Takes a study out as files: the table of a format, what belongs beside it, and a README that
//! says by which rules and versions it came about.
//!
//! Everything is of the moment at which the export began, and streams: an export holds a page of
//! outputs, and of the ratings only the numbers that z-scores are computed from.

mod alignments;
mod facts;
mod in_2022;
mod jsonl;
mod metric_scores;
mod past;
mod reading;
mod readme;
#[cfg(test)]
mod tests;
mod tidy;
mod zipped;

use std::{
    io::{self, Write},
    sync::Arc,
};

use clap::ValueEnum;
use domain::ids::OutputId;
use formats::Cells;
use learn::{aligner::Aligner, encoder::EncoderError};
use store::{
    Store, Study,
    export::{Export, ExportedOutput},
    metrics::Metric,
    ratings::Which,
};
use tokio::runtime::Handle;

use crate::import::kept::Kept;
pub(crate) use facts::Facts;
pub(crate) use jsonl::moment;
pub(crate) use reading::Readings;
pub(crate) use zipped::write_zip;

/// Outputs that are held at once.
const PAGE: u32 = 500;

/// The formats, by the names that commands and addresses use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// CSV, one column a rater; what `import` read comes out to the letter.
    SimpevalPast,
    /// CSV with slots of ratings, and a second file that names who is behind each.
    #[value(name = "simpeval-2022")]
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

impl Format {
    /// The name in commands and addresses.
    pub(crate) const fn name(self) -> &'static str {
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
    pub(crate) const fn ending(self) -> &'static str {
        match self {
            Self::SimpevalPast | Self::Simpeval2022 | Self::Tidy | Self::MetricScores => ".csv",
            Self::Jsonl => ".jsonl",
            Self::Alignments => ".tsv",
        }
    }

    /// The files of an export, in the order in which they are written.
    pub(crate) const fn parts(self) -> &'static [Part] {
        match self {
            Self::SimpevalPast | Self::Jsonl | Self::Tidy | Self::Alignments => {
                &[Part::Readme, Part::Table]
            }
            Self::Simpeval2022 => &[Part::Readme, Part::Raters, Part::Table],
            Self::MetricScores => &[Part::Readme, Part::Signatures, Part::Table],
        }
    }
}

/// One file of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The outputs with their ratings.
    Table,
    /// Who is behind each rating of the table.
    Raters,
    /// Which metric is behind each column of the table.
    Signatures,
    /// Rules, versions and the meaning of columns.
    Readme,
}

impl Part {
    /// Its name beside a table that is called `stem` and the format's ending.
    pub(crate) fn file_name(self, stem: &str, format: Format) -> String {
        let ending = match self {
            Self::Table => format.ending(),
            Self::Raters => ".raters.csv",
            Self::Signatures => ".signatures.csv",
            Self::Readme => ".README.md",
        };
        format!("{stem}{ending}")
    }
}

/// What is asked for.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// As what.
    pub(crate) format: Format,
    /// Whose answers; alignments are always of what was handed in.
    pub(crate) which: Which,
    /// The dimension of the ratings in a SimpEval table; JSONL and the tidy table have all.
    pub(crate) dimension: String,
    /// What is done to cells that a spreadsheet would run.
    pub(crate) cells: Cells,
    /// The edits that alignments are made of.
    pub(crate) edits: Edits,
}

/// The edits that alignments are made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Edits {
    /// Those of outputs whose edits an annotator corrected.
    #[default]
    Corrected,
    /// Those that an annotator left as they were, too.
    WithAccepted,
}

impl Asked {
    /// Whether ratings on that dimension go in.
    fn takes(&self, dimension: &str) -> bool {
        match self.format {
            Format::Jsonl | Format::Tidy => true,
            Format::SimpevalPast | Format::Simpeval2022 => self.dimension == dimension,
            Format::MetricScores | Format::Alignments => false,
        }
    }
}

/// Why an export came to no end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The database did not give it.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// Where it goes to does not take it.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// A row of the database is not as an import writes it.
    #[error("what was kept of the imported row of output {0} does not read")]
    Kept(OutputId, #[source] serde_json::Error),
    /// Words could not be aligned.
    #[error("words could not be aligned")]
    Align(#[from] EncoderError),
}

/// An export that has begun.
pub(crate) struct Exporting {
    pages: Pages,
    about: About,
}

/// What all files of an export share.
pub(crate) struct About {
    /// What is taken out.
    pub(crate) study: Study,
    /// How.
    pub(crate) asked: Asked,
    /// What a look at all of it has shown.
    pub(crate) facts: Facts,
    /// The number of the newest event that is in it.
    pub(crate) event: i64,
    /// When it began, in milliseconds since 1970.
    pub(crate) at_ms: i64,
    /// The study's metrics, in the order in which it got them.
    pub(crate) metrics: Vec<Metric>,
    /// What links the words that edits leave open, in alignments.
    pub(crate) aligner: Arc<Aligner>,
}

impl About {
    /// Lines of alignments; none in other formats.
    pub(crate) fn alignments(&self) -> Option<u64> {
        let Facts {
            corrected,
            accepted,
            ..
        } = self.facts;
        let lines = match self.asked.edits {
            Edits::Corrected => corrected,
            Edits::WithAccepted => corrected + accepted,
        };
        (self.asked.format == Format::Alignments).then_some(lines)
    }
}

struct Pages {
    export: Export,
    runtime: Handle,
    /// Cells of CSV files that a spreadsheet would run as a formula, guarded or not.
    formula_cells: u64,
}

impl Exporting {
    /// Begins an export as of now, and looks through it once for what its files begin with.
    pub(crate) async fn begin(
        store: &Store,
        study: Study,
        asked: Asked,
        aligner: Arc<Aligner>,
        at_ms: i64,
    ) -> Result<Self, Failure> {
        let mut export = store.export(study.id, asked.which).await?;
        let facts = Facts::read(&mut export, &asked).await?;
        let about = About {
            event: export.event,
            study,
            asked,
            facts,
            at_ms,
            metrics: std::mem::take(&mut export.metrics),
            aligner,
        };
        let runtime = Handle::current();
        Ok(Self {
            pages: Pages {
                export,
                runtime,
                formula_cells: 0,
            },
            about,
        })
    }

    /// What its files share.
    pub(crate) const fn about(&self) -> &About {
        &self.about
    }

    /// Number of cells of the CSV files written so far that a spreadsheet would run as a formula,
    /// guarded or not.
    pub(crate) const fn formula_cells(&self) -> u64 {
        self.pages.formula_cells
    }

    /// Writes one of the files. It waits for the database, so it runs on a thread that may block.
    pub(crate) fn write(&mut self, part: Part, out: &mut dyn Write) -> Result<(), Failure> {
        let (about, pages) = (&self.about, &mut self.pages);
        match (part, about.asked.format) {
            (Part::Readme, _) => Ok(readme::write(about, out)?),
            (Part::Raters, _) => in_2022::write_raters(about, pages, out),
            (Part::Signatures, _) => metric_scores::write_signatures(about, pages, out),
            (Part::Table, Format::Tidy) => tidy::write(about, pages, out),
            (Part::Table, Format::MetricScores) => metric_scores::write(about, pages, out),
            (Part::Table, Format::SimpevalPast) => past::write(about, pages, out),
            (Part::Table, Format::Simpeval2022) => in_2022::write(about, pages, out),
            (Part::Table, Format::Jsonl) => jsonl::write(about, pages, out),
            (Part::Table, Format::Alignments) => alignments::write(about, pages, out),
        }
    }
}

impl Pages {
    /// Hands every output to `take`, with what was kept of its row, from the first.
    fn each(
        &mut self,
        mut take: impl FnMut(&ExportedOutput, Option<&Kept<'_>>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.export.rewind();
        loop {
            let page = self.runtime.block_on(self.export.next_page(PAGE))?;
            if page.is_empty() {
                return Ok(());
            }
            for output in &page {
                take(output, kept(output)?.as_ref())?;
            }
        }
    }
}

/// What was kept of an output's row when it was imported.
fn kept(output: &ExportedOutput) -> Result<Option<Kept<'static>>, Failure> {
    let read = |text: &String| serde_json::from_str(text);
    let kept = output.verbatim.as_ref().map(read).transpose();
    kept.map_err(|error| Failure::Kept(output.output, error))
}
