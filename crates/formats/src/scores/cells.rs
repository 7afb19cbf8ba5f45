//! The rows of a table or of JSONL, as values under the names of their columns.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use crate::{
    error::{BadRow, ReadError, not_an_object},
    input::{CsvTable, LineReader, NUL},
};

/// A row: its values in the order of the file.
pub(super) struct RowCells {
    /// The line on which the row begins.
    pub(super) line: u64,
    pub(super) cells: Vec<(Arc<str>, CellValue)>,
}

/// The value of a column.
pub(super) enum CellValue {
    /// A text, or a number as it is written.
    Text(String),
    /// Anything else that JSON can hold: a truth value, an array or an object.
    Other,
}

pub(super) type CellSource<'r> = Box<dyn Iterator<Item = Result<RowCells, ReadError>> + Send + 'r>;

impl RowCells {
    /// The text of the first of these columns that the row has.
    pub(super) fn first_text(&self, columns: &[&str]) -> Option<String> {
        self.texts(columns).next()
    }

    /// The text of the first of these columns that is not blank.
    pub(super) fn first_filled(&self, columns: &[&str]) -> Option<String> {
        self.texts(columns).find(|text| !text.trim().is_empty())
    }

    fn texts(&self, columns: &[&str]) -> impl Iterator<Item = String> {
        columns.iter().filter_map(|column| {
            let (_, value) = self.cells.iter().find(|(name, _)| **name == **column)?;
            match value {
                CellValue::Text(text) => Some(text.clone()),
                CellValue::Other => None,
            }
        })
    }
}

/// The rows of a table. Its columns have different names.
pub(super) fn table_rows(mut table: CsvTable<'_>) -> CellSource<'_> {
    let header = table.header().clone();
    Box::new(std::iter::from_fn(move || {
        let record = table.read_record().map_err(ReadError::Fatal).transpose()?;
        Some(record.and_then(|record| {
            header.check_record(record)?;
            let texts = record.cells.iter();
            let values = texts.map(|text| CellValue::Text(text.to_owned()));
            Ok(RowCells {
                line: record.line,
                cells: header.names().iter().cloned().zip(values).collect(),
            })
        }))
    }))
}

/// The objects of JSONL, less blank lines and values that are `null`.
pub(super) fn json_rows(mut lines: LineReader<'_>) -> CellSource<'_> {
    Box::new(std::iter::from_fn(move || {
        loop {
            let (line, text) = match lines.read_line().transpose()? {
                Ok(numbered_line) => numbered_line,
                Err(fault) => return Some(Err(ReadError::Fatal(fault))),
            };
            if !text.trim().is_empty() {
                return Some(parse_object(line, &text).map_err(ReadError::Row));
            }
        }
    }))
}

fn parse_object(line: u64, text: &str) -> Result<RowCells, BadRow> {
    let keys: BTreeMap<String, Value> = serde_json::from_str(text)
        .map_err(|error| BadRow::new(line, None, not_an_object(&error)))?;
    let mut cells = Vec::new();
    for (key, value) in keys {
        let value = match value {
            Value::Null => continue,
            Value::String(text) => CellValue::Text(text),
            Value::Number(number) => CellValue::Text(number.to_string()),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => CellValue::Other,
        };
        let text_has_nul = matches!(&value, CellValue::Text(text) if text.contains('\0'));
        if text_has_nul || key.contains('\0') {
            return Err(BadRow::new(line, None, NUL));
        }
        cells.push((key.into(), value));
    }
    Ok(RowCells { line, cells })
}
