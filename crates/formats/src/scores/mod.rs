//! Scores of outputs that were computed elsewhere, by any metric: a table (CSV) or JSONL, one output a
//! row.
//!
//! `meta-eval --scores` and the import of scores read these files by one contract. *Column* means the
//! key of an object in JSONL; the value of a column is *missing* where the cell is empty, the key is
//! absent, or the value is `NA`, `N/A`, `NaN`, `None` or `null` in any case, or a dash.
//!
//! # Which output a row is about
//! These columns identify it. Of the names in a line, the first one with a value in the row counts:
//!
//! | what | columns |
//! |---|---|
//! | the output's own id | `output_id`, `id` |
//! | the source's name in the files it came from | `source_id`, `original_id` |
//! | the source's text, or its name | `source`, `original` |
//! | the output's text | `output`, `processed_generation`, `generation`, `simplification` |
//! | the system | `system` |
//!
//! A row needs the output's id, or the source (by name or text) with the system or the output's text. If no
//! output has the id, the source decides. The output's text may be empty, so of its columns the first
//! in the file counts.
//!
//! # Which columns are metrics
//! Every other column whose first value is a number, whatever it is called, holds the scores of the
//! metric that it is named after. Numbers are written with a decimal point, or all of a column with a decimal comma; in
//! JSONL they may be in quotation marks. Metrics are found in the order of the rows that identify an output.
//!
//! # What is ignored
//! - the columns above, even where another one of their line counts, and whatever their values are: a
//!   numeric `source_id` is not a metric;
//! - columns whose names begin with `rating`, since people's ratings are not a metric, and columns without
//!   a name, such as the row numbers that pandas writes;
//! - columns whose first value is not a number: notes, signatures, nested objects.
//!
//! # What is an error
//! A file is refused if it is a table without columns that identify outputs, or in which two columns have the
//! same name; if its first [`LOOKAHEAD_ROWS`] rows hold no score or, in JSONL, identify no output;
//! if it has more than [`MAX_COLUMNS`] columns; or for any reason that makes other files unreadable.
//!
//! A single row is refused if its number of cells is not that of the header, if it is not a JSON
//! object, if it contains NUL, if it does not identify an output or has no score, or if the value of a
//! metric is not a finite number.
//!
//! If an output has several scores by one metric, the first counts. The readers of rows name the others, unless they
//! are the same.

mod columns;
mod file;

use std::{collections::VecDeque, sync::Arc};

use crate::{
    cells::{self, CellSource, RowCells},
    error::{BadRow, FatalReadError, ReadError},
    input::{ContentKind, FileInput, OpenedInput},
    input_options::InputDescription,
    row_iterator::until_fatal,
};
use columns::{MetricColumns, check_header, identify, may_have_scores};
pub use file::{MatchedScores, ScoreFile};

/// A file of scores, opened.
pub struct ScoreRows<'r> {
    /// The metrics of the first rows, in the order of the file. Rows may bring more.
    pub names: Vec<Arc<str>>,
    /// The way in which the bytes are read.
    pub input: InputDescription,
    /// The rows.
    pub rows: Box<dyn Iterator<Item = Result<ScoreRow, ReadError>> + Send + 'r>,
}

/// The scores of one output.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreRow {
    /// The line on which the row begins.
    pub line: u64,
    /// The output.
    pub output: OutputIdentifier,
    /// The scores with the names of their metrics; missing ones are left out. At least one.
    pub scores: Vec<(Arc<str>, f64)>,
}

/// The identification of a row's output: by the output's id, or by a source with a system or a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputIdentifier {
    /// The output's own id.
    pub output_id: Option<String>,
    /// The source's name in the files it came from.
    pub source_id: Option<String>,
    /// The source's text, or its name.
    pub source: Option<String>,
    /// The output's text; it may be empty.
    pub output: Option<String>,
    /// The system that wrote the output.
    pub system: Option<String>,
}

/// The number of rows read ahead for the names of metrics.
const LOOKAHEAD_ROWS: usize = 50;

/// The most columns that a file may have in addition to those that identify outputs.
const MAX_COLUMNS: usize = 10_000;

/// Opens a file of scores, a table or JSONL; the module's documentation describes both.
///
/// # Errors
/// [`FatalReadError`] where no column identifies outputs, none holds scores, or the file cannot be read.
pub fn open_scores<'r>(input: impl Into<FileInput<'r>>) -> Result<ScoreRows<'r>, FatalReadError> {
    let input = input.into().open_fitting(may_have_scores)?;
    let description = input.description.clone();
    let rows = open_rows(input)?;
    Ok(ScoreRows {
        input: description,
        ..rows.into_score_rows()
    })
}

fn open_rows(input: OpenedInput<'_>) -> Result<RowsReadAhead<'_>, FatalReadError> {
    match input.content_kind() {
        ContentKind::Array => Err(FatalReadError::JsonArray),
        ContentKind::Objects => {
            let rows = read_ahead(cells::json_rows(input.into_lines()?))?;
            if !rows.ahead.iter().any(Result::is_ok) {
                return Err(no_usable_row(rows.ahead));
            }
            Ok(rows)
        }
        ContentKind::Cells(_) => {
            let table = input.into_table()?;
            let header = table.header().clone();
            check_header(&header)?;

            let rows = read_ahead(cells::table_rows(table))?;
            if rows.ahead.is_empty() {
                return Err(FatalReadError::NoRows);
            }
            if rows.metrics.names().is_empty() {
                return Err(header.wrong_header(
                    "a column of numbers named like its metric, such as questeval",
                    "add a column of numbers, called after its metric",
                ));
            }
            Ok(rows)
        }
    }
}

/// Rows, the first of which have been read.
struct RowsReadAhead<'r> {
    metrics: MetricColumns,
    ahead: VecDeque<Result<ScoreRow, ReadError>>,
    rest: CellSource<'r>,
}

/// Reads the first rows. A fatal fault within them is an error at once.
fn read_ahead(mut rest: CellSource<'_>) -> Result<RowsReadAhead<'_>, FatalReadError> {
    let mut metrics = MetricColumns::default();
    let mut ahead = VecDeque::new();

    while ahead.len() < LOOKAHEAD_ROWS {
        let Some(item) = rest.next() else { break };
        match parse_item(item, &mut metrics) {
            Err(ReadError::Fatal(fault)) => return Err(fault),
            row => ahead.push_back(row),
        }
    }

    Ok(RowsReadAhead {
        metrics,
        ahead,
        rest,
    })
}

impl<'r> RowsReadAhead<'r> {
    fn into_score_rows(self) -> ScoreRows<'r> {
        let Self {
            mut metrics,
            mut ahead,
            mut rest,
        } = self;
        ScoreRows {
            names: metrics.names().to_vec(),
            input: InputDescription::default(),
            rows: until_fatal(move || match ahead.pop_front() {
                Some(row) => Some(row),
                None => Some(parse_item(rest.next()?, &mut metrics)),
            }),
        }
    }
}

fn parse_item(
    item: Result<RowCells, ReadError>,
    metrics: &mut MetricColumns,
) -> Result<ScoreRow, ReadError> {
    let cells = item?;
    // Rows of JSONL may each have keys of their own; memory must not grow with them.
    if metrics.columns() > MAX_COLUMNS {
        return Err(ReadError::Fatal(FatalReadError::TextFiles(format!(
            "the file has more than {MAX_COLUMNS} columns: leave out those that are not metrics"
        ))));
    }
    parse_row(&cells, metrics).map_err(ReadError::Row)
}

fn parse_row(cells: &RowCells, metrics: &mut MetricColumns) -> Result<ScoreRow, BadRow> {
    let bad_row = |reason: &str| BadRow::new(cells.line, None, reason);
    let output = identify(cells);
    let has_source = output.source.is_some() || output.source_id.is_some();
    let has_output = output.system.is_some() || output.output.is_some();
    if output.output_id.is_none() && !(has_source && has_output) {
        return Err(bad_row(
            "does not say which output it means: fill in output_id, or source and system",
        ));
    }

    let scores = metrics.scores(cells)?;
    if scores.is_empty() {
        return Err(bad_row("has no score"));
    }
    Ok(ScoreRow {
        line: cells.line,
        output,
        scores,
    })
}

/// The fault of JSONL whose first rows are all bad: that of the first row, which says most.
fn no_usable_row(ahead: VecDeque<Result<ScoreRow, ReadError>>) -> FatalReadError {
    match ahead.into_iter().find_map(Result::err) {
        Some(ReadError::Row(bad)) => FatalReadError::Row(bad),
        Some(ReadError::Fatal(fault)) => fault,
        None => FatalReadError::TextFiles(
            "no row has a score: add a key with a number, named like its metric".to_owned(),
        ),
    }
}
