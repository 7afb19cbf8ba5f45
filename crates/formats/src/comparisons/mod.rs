//! Comparisons of outputs: which of two is better, or which of several are best and worst. A table (CSV) or
//! JSONL, one answer a row; a file may hold both kinds.
//!
//! In JSONL, *column* means the key of an object. Of the names in a line of this table, the first one with a value in
//! the row counts:
//!
//! | what | columns |
//! |---|---|
//! | the source's name, or its text | `source_id`, `original_id`, `sentence_id`, `source`, `original` |
//! | the rater | `rater`, `annotator`, `worker_id`, `WorkerId` |
//! | the dimension (*overall* without one) | `dimension`, `aspect` |
//! | the two systems | `system_a` and `system_b`, `system_1` and `system_2`, `model_a` and `model_b` |
//! | the outcome | `outcome`, `winner`, `preference` |
//! | the systems shown | `systems` (an array, or names with `\|` between them), else all columns `system_1`, `system_2`, … or `system_a`, `system_b`, … |
//! | the best and the worst of them | `best`, `worst` |
//! | the text of the source (optional) | `source`, `original` |
//! | the texts of two systems (optional) | `output_a` and `output_b`, `output_1` and `output_2` |
//!
//! A row with a value for `best` or `worst` is a choice among several, any other one compares two.
//!
//! # Outcomes
//! In upper or lower case, a tie is `tie`, `tied`, `equal`, `same`, `similar`, `draw`, `no preference`,
//! `tie (bothbad)` or `=`. Otherwise the text is the better system's name, its column (`system_a`), or the end of its
//! column's name (`a`).
//! A text that could mean either system, such as `a` where system b is called *A*, is refused. So are numbers, except
//! `1` and `2` for `system_1` and `system_2`: in some files 1 is the first system, in others the second.
//!
//! # ASSET's comparisons
//! A file with the columns `asset_simplification` and `other_dataset` compares the system `asset` with the
//! one that `other_dataset` names, whose text is in `other_simplification`, as in ASSET's own file.
//!
//! # What is an error
//! A file is refused if it is a table without these columns or with two of the same name, if it has no usable row or
//! more than [`MOST_SYSTEMS`] systems, or for any reason that makes other files unreadable. A single row is refused
//! if it lacks a value, contradicts itself, or repeats the rater's answer about the same systems on a source and
//! dimension: the first one counts.

mod columns;

use std::collections::{HashMap, HashSet, hash_map::Entry};

use domain::comparison::ComparisonAnswer;

use crate::{
    cells::{self, CellSource},
    error::{BadRow, FatalReadError, ReadError, clip},
    input::{ContentKind, FileInput},
    sheet_notes::SheetNote,
};

/// The most systems of a file: the time to compute their scores grows with the cube of their number.
const MOST_SYSTEMS: usize = 200;

/// The comparisons of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ComparisonFile {
    /// The comparisons in the order of the file; at least one.
    pub rows: Vec<ComparisonRow>,
    /// The rows that are left out.
    pub bad_rows: Vec<BadRow>,
    /// Remarks on the sheet of a workbook.
    pub notes: Vec<SheetNote>,
}

/// One rater's comparison of systems on one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparisonRow {
    /// The line on which the row begins.
    pub line: u64,
    /// The source's name, or its text.
    pub source: String,
    /// The rater.
    pub rater: String,
    /// The dimension, in lower case.
    pub dimension: String,
    /// The systems and the rater's answer.
    pub comparison: ComparisonAnswer<String>,
    /// The compared texts, where the row compares two outputs and has them.
    pub texts: Option<ComparedTexts>,
}

/// The texts of a comparison of two outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedTexts {
    /// The text that was simplified.
    pub source: String,
    /// The output of the first system.
    pub a: String,
    /// The output of the second system.
    pub b: String,
}

/// Reads a file of comparisons to its end; the module's documentation describes it.
///
/// # Errors
/// [`FatalReadError`] where columns are missing, no row can be used, or the file cannot be read.
pub fn read_comparisons<'r>(
    input: impl Into<FileInput<'r>>,
) -> Result<ComparisonFile, FatalReadError> {
    let input = input
        .into()
        .open_fitting(|header| columns::check_header(header).is_ok())?;
    let notes = input.description.sheet_notes.clone();

    let rows = match input.content_kind() {
        ContentKind::Array => return Err(FatalReadError::JsonArray),
        ContentKind::Objects => cells::json_rows(input.into_lines()?),
        ContentKind::Cells(_) => {
            let table = input.into_table()?;
            columns::check_header(table.header())?;
            cells::table_rows(table)
        }
    };

    Ok(ComparisonFile {
        notes,
        ..read_rows(rows)?
    })
}

fn read_rows(rows: CellSource<'_>) -> Result<ComparisonFile, FatalReadError> {
    let mut file = ComparisonFile::default();
    let mut answered = AnsweredComparisons::default();
    let mut systems = HashSet::new();
    for item in rows {
        let row = item.and_then(|cells| {
            let row = columns::parse_row(&cells)?;
            answered.add(&row)?;
            Ok(row)
        });
        match row {
            Ok(row) => {
                for system in row.comparison.shown() {
                    if !systems.contains(system) {
                        systems.insert(system.clone());
                    }
                }
                file.rows.push(row);
            }
            Err(ReadError::Row(bad_row)) => file.bad_rows.push(bad_row),
            Err(ReadError::Fatal(fault)) => return Err(fault),
        }

        if systems.len() > MOST_SYSTEMS {
            return Err(FatalReadError::TextFiles(format!(
                "the file compares more than {MOST_SYSTEMS} systems: name the systems, not their outputs"
            )));
        }
    }

    if file.rows.is_empty() {
        let first = file.bad_rows.into_iter().next();
        return Err(first.map_or(FatalReadError::NoRows, FatalReadError::Row));
    }
    Ok(file)
}

/// The lines of the answers so far, by source, rater, dimension and systems.
#[derive(Default)]
struct AnsweredComparisons(HashMap<String, u64>);

impl AnsweredComparisons {
    /// Refuses a rater's second answer about the same systems.
    fn add(&mut self, row: &ComparisonRow) -> Result<(), BadRow> {
        let mut shown = row.comparison.shown();
        shown.sort_unstable();

        // Texts of a file never contain NUL.
        let mut key = [&row.source[..], &row.rater, &row.dimension].join("\0");
        for system in shown {
            key.push('\0');
            key += system;
        }

        let first = match self.0.entry(key) {
            Entry::Vacant(new) => {
                new.insert(row.line);
                return Ok(());
            }
            Entry::Occupied(first) => *first.get(),
        };

        let rater = clip(&row.rater);
        let reason =
            format!("“{rater}” compared these before, on line {first}: one rater gives one answer");
        Err(BadRow::new(row.line, None, reason))
    }
}
