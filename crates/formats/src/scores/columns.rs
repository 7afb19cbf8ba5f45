//! The roles of the columns in a file of scores.

use std::{collections::HashMap, sync::Arc};

use super::OutputIdentifier;
use crate::{
    cells::{CellValue, RowCells, check_names},
    error::{BadRow, FatalReadError},
    input::CsvHeader,
    numbers::{DecimalMark, is_missing, number_in_cell},
};

const OUTPUT_ID: [&str; 2] = ["output_id", "id"];
const SOURCE_ID: [&str; 2] = ["source_id", "original_id"];
const SOURCE: [&str; 2] = ["source", "original"];
const OUTPUT: [&str; 4] = [
    "output",
    "processed_generation",
    "generation",
    "simplification",
];
const SYSTEM: [&str; 1] = ["system"];

/// The output of a row, as far as its columns identify it.
pub(super) fn identify(cells: &RowCells) -> OutputIdentifier {
    OutputIdentifier {
        output_id: cells.first_name(&OUTPUT_ID),
        source_id: cells.first_name(&SOURCE_ID),
        source: cells.first_filled(&SOURCE),
        // An empty output is still an output.
        output: cells.first_text(&OUTPUT),
        system: cells.first_name(&SYSTEM),
    }
}

/// Refuses a header that identifies no output, or in which two columns have the same name.
pub(super) fn check_header(header: &CsvHeader) -> Result<(), FatalReadError> {
    check_names(header)?;
    let has = |names: &[&str]| names.iter().any(|name| header.has(name));
    let has_source = has(&SOURCE_ID) || has(&SOURCE);
    if has(&OUTPUT_ID) || has_source && (has(&SYSTEM) || has(&OUTPUT)) {
        return Ok(());
    }
    Err(header.wrong_header(
        "output_id, or source (or source_id) with system or output",
        "name the output of each row by such columns",
    ))
}

/// Whether a header identifies outputs, and has a column that may hold scores.
pub(super) fn may_have_scores(header: &CsvHeader) -> bool {
    let mut names = header.names().iter();
    check_header(header).is_ok() && names.any(|name| may_be_metric(name))
}

/// The metrics among the columns, as found in the rows so far.
#[derive(Default)]
pub(super) struct MetricColumns {
    /// The uses of columns, which the first value of each decides.
    decided: HashMap<Arc<str>, ColumnUse>,
    /// The metrics, in the order in which they were found.
    names: Vec<Arc<str>>,
}

/// The use of a column.
#[derive(Debug, Clone, Copy)]
enum ColumnUse {
    Ignored,
    /// Scores, with the decimal mark learned from the rows so far.
    Metric(DecimalMark),
}

impl MetricColumns {
    pub(super) fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// The number of columns with a value so far.
    pub(super) fn columns(&self) -> usize {
        self.decided.len()
    }

    /// The scores of a row, which identifies an output.
    pub(super) fn scores(&mut self, row: &RowCells) -> Result<Vec<(Arc<str>, f64)>, BadRow> {
        let mut scores = Vec::new();
        let mut bad_row = None;

        for (name, value) in row.cells.iter().filter(|(name, _)| may_be_metric(name)) {
            if is_missing_value(value) {
                continue;
            }
            let ColumnUse::Metric(mark) = self.decide(name, value) else {
                continue;
            };

            match parse_score(value, mark) {
                Ok(score) => scores.extend(score.map(|score| (name.clone(), score))),
                // The other columns of the row are decided before it is refused.
                Err(reason) => {
                    bad_row.get_or_insert_with(|| BadRow::new(row.line, Some(name), reason));
                }
            }
        }

        bad_row.map_or(Ok(scores), Err)
    }

    /// The use of a column, which its first value decides. Learns the decimal mark from `value`.
    fn decide(&mut self, name: &Arc<str>, value: &CellValue) -> ColumnUse {
        let text = match value {
            CellValue::Text(text) => text,
            CellValue::Texts(_) | CellValue::Other => "",
        };

        let names = &mut self.names;
        let column = self.decided.entry(name.clone()).or_insert_with(|| {
            // Infinity is not a score, but shows that the column holds numbers.
            if number_in_cell(text).is_none() {
                return ColumnUse::Ignored;
            }
            names.push(name.clone());
            ColumnUse::Metric(DecimalMark::default())
        });
        if let ColumnUse::Metric(mark) = column {
            mark.learn(text);
        }
        *column
    }
}

fn may_be_metric(name: &str) -> bool {
    let identifying = [&OUTPUT_ID[..], &SOURCE_ID, &SOURCE, &OUTPUT, &SYSTEM];
    let identifies = identifying.iter().any(|names| names.contains(&name));
    // `rankrate score --meaning` writes the meaning of a score into such columns.
    let is_meaning = [":percent", ":low", ":high"]
        .iter()
        .any(|end| name.ends_with(end));
    !name.is_empty() && !identifies && !is_meaning && !name.starts_with("rating")
}

fn is_missing_value(value: &CellValue) -> bool {
    matches!(value, CellValue::Text(text) if is_missing(text))
}

/// The score of a cell whose column has this decimal mark.
fn parse_score(value: &CellValue, mark: DecimalMark) -> Result<Option<f64>, String> {
    match value {
        CellValue::Text(text) => Ok(mark.parse(text)?.map(|number| number.value)),
        CellValue::Texts(_) | CellValue::Other => {
            Err("is not a number: write one, or leave it out where there is no score".to_owned())
        }
    }
}
