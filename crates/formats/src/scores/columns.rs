//! The duties of the columns of a file of scores.

use std::{collections::HashMap, sync::Arc};

use super::OutputIdentifier;
use crate::{
    cells::{CellValue, RowCells, check_names},
    error::{BadRow, FatalReadError},
    input::CsvHeader,
    row::WrittenNumber,
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
        output_id: cells.first_filled(&OUTPUT_ID),
        source_id: cells.first_filled(&SOURCE_ID),
        source: cells.first_filled(&SOURCE),
        // An output may be empty and still be one.
        output: cells.first_text(&OUTPUT),
        system: cells.first_filled(&SYSTEM),
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

/// The metrics among the columns, as far as rows were read.
#[derive(Default)]
pub(super) struct MetricColumns {
    /// Whether a column is a metric, which its first value decides.
    decided: HashMap<Arc<str>, bool>,
    /// The metrics, in the order in which they were found.
    names: Vec<Arc<str>>,
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
            if is_missing(value) || !self.decide(name, value) {
                continue;
            }
            match parse_score(value) {
                Ok(score) => scores.push((name.clone(), score)),
                // All columns of the row are decided before it is refused.
                Err(reason) => {
                    bad_row.get_or_insert_with(|| BadRow::new(row.line, Some(name), reason));
                }
            }
        }
        bad_row.map_or(Ok(scores), Err)
    }

    /// Whether a column is a metric; `value` decides where it is the column's first.
    fn decide(&mut self, name: &Arc<str>, value: &CellValue) -> bool {
        if let Some(is_metric) = self.decided.get(name) {
            return *is_metric;
        }
        // Infinity is no score, but shows what the column is meant to be.
        let is_metric =
            matches!(value, CellValue::Text(text) if text.trim().parse::<f64>().is_ok());
        self.decided.insert(name.clone(), is_metric);
        if is_metric {
            self.names.push(name.clone());
        }
        is_metric
    }
}

fn may_be_metric(name: &str) -> bool {
    let identifying = [&OUTPUT_ID[..], &SOURCE_ID, &SOURCE, &OUTPUT, &SYSTEM];
    let identifies = identifying.iter().any(|names| names.contains(&name));
    // What a score means is beside it and no metric, as `rankrate score --meaning` writes it.
    let is_meaning = [":percent", ":low", ":high"]
        .iter()
        .any(|end| name.ends_with(end));
    !name.is_empty() && !identifies && !is_meaning && !name.starts_with("rating")
}

fn is_missing(value: &CellValue) -> bool {
    const MISSING: [&str; 4] = ["", "nan", "none", "null"];
    let CellValue::Text(text) = value else {
        return false;
    };
    let text = text.trim();
    MISSING.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn parse_score(value: &CellValue) -> Result<f64, String> {
    match value {
        CellValue::Text(text) => match text.trim().parse::<WrittenNumber>() {
            Ok(number) => Ok(number.value()),
            Err(error) => Err(error.to_string()),
        },
        CellValue::Texts(_) | CellValue::Other => {
            Err("is no number: write one, or leave it out where there is no score".to_owned())
        }
    }
}
