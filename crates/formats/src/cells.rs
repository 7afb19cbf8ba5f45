//! The rows of a table or of JSONL, as values under the names of their columns.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use serde_json::Value;

use crate::{
    assignment_status::is_rejected,
    error::{BadRow, FatalReadError, ReadError, clip, not_an_object},
    input::{CsvHeader, CsvTable, LineReader, NUL},
    json_line::without_python_numbers,
    visible_form,
};

/// A row: its values in the order of the file.
pub(crate) struct RowCells {
    /// The line on which the row begins.
    pub(crate) line: u64,
    pub(crate) cells: Vec<(Arc<str>, CellValue)>,
}

/// The value of a column.
pub(crate) enum CellValue {
    /// A text, or a number as it is written.
    Text(String),
    /// An array of texts and numbers.
    Texts(Vec<String>),
    /// Anything else that JSON can hold: a truth value, another array or an object.
    Other,
}

pub(crate) type CellSource<'r> = Box<dyn Iterator<Item = Result<RowCells, ReadError>> + Send + 'r>;

impl RowCells {
    /// The text of the first of these columns that the row has.
    pub(crate) fn first_text(&self, columns: &[&str]) -> Option<String> {
        self.texts(columns).next().map(|(_, text)| text.to_owned())
    }

    /// The visible form of the name in the first of these columns that is not blank.
    pub(crate) fn first_name(&self, columns: &[&str]) -> Option<String> {
        let (_, name) = self.first_filled_column(columns)?;
        Some(visible_form(name).into_owned())
    }

    /// Refuses a row whose platform says that its assignment was rejected.
    pub(crate) fn check_status(&self) -> Result<(), BadRow> {
        let mut cells = self.cells.iter();
        let rejecting = cells.find(
            |(name, value)| matches!(value, CellValue::Text(text) if is_rejected(name, text)),
        );
        match rejecting {
            None => Ok(()),
            Some((name, _)) => Err(BadRow::new(
                self.line,
                Some(name),
                "says that the assignment was rejected or not completed: remove this column to count it",
            )),
        }
    }

    /// The text of the first of these columns that is not blank.
    pub(crate) fn first_filled(&self, columns: &[&str]) -> Option<String> {
        self.first_filled_column(columns)
            .map(|(_, text)| text.to_owned())
    }

    /// The first of these columns whose text is not blank, with the text.
    pub(crate) fn first_filled_column<'a>(
        &'a self,
        columns: &[&'a str],
    ) -> Option<(&'a str, &'a str)> {
        self.texts(columns)
            .find(|(_, text)| !text.trim().is_empty())
    }

    fn texts<'a>(&'a self, columns: &[&'a str]) -> impl Iterator<Item = (&'a str, &'a str)> {
        columns.iter().filter_map(|column| {
            let (_, value) = self.cells.iter().find(|(name, _)| **name == **column)?;
            match value {
                CellValue::Text(text) => Some((*column, &text[..])),
                CellValue::Texts(_) | CellValue::Other => None,
            }
        })
    }
}

/// Refuses a header in which two columns have the same name.
pub(crate) fn check_names(header: &CsvHeader) -> Result<(), FatalReadError> {
    let mut seen = HashSet::new();
    for name in header.names().iter().filter(|name| !name.is_empty()) {
        if !seen.insert(name) {
            let expected = format!("one column “{}”", clip(name));
            return Err(header.wrong_header(&expected, "rename one of the two"));
        }
    }
    Ok(())
}

/// The rows of a table. Its columns have different names: see [`check_names`].
pub(crate) fn table_rows(mut table: CsvTable<'_>) -> CellSource<'_> {
    let header = table.header().clone();
    Box::new(std::iter::from_fn(move || {
        let record = table.read_record().map_err(ReadError::Fatal).transpose()?;
        Some(record.and_then(|record| {
            header.check_record(record)?;
            record.check_formulas(&header, |_| true)?;
            let texts = record.cells.iter();
            let values = texts.map(|text| CellValue::Text(text.to_owned()));
            Ok(RowCells {
                line: record.line,
                cells: header.names().iter().cloned().zip(values).collect(),
            })
        }))
    }))
}

/// The objects of JSONL, without blank lines and values that are `null`.
pub(crate) fn json_rows(mut lines: LineReader<'_>) -> CellSource<'_> {
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
    let keys: BTreeMap<String, Value> = serde_json::from_str(&without_python_numbers(text))
        .map_err(|error| BadRow::new(line, None, not_an_object(&error)))?;

    let mut cells = Vec::new();
    for (key, value) in keys {
        let value = match value {
            Value::Null => continue,
            Value::String(text) => CellValue::Text(text),
            Value::Number(number) => CellValue::Text(number.to_string()),
            Value::Array(items) => parse_array(items),
            Value::Bool(_) | Value::Object(_) => CellValue::Other,
        };

        let text_has_nul = match &value {
            CellValue::Text(text) => text.contains('\0'),
            CellValue::Texts(texts) => texts.iter().any(|text| text.contains('\0')),
            CellValue::Other => false,
        };
        if text_has_nul || key.contains('\0') {
            return Err(BadRow::new(line, None, NUL));
        }

        cells.push((key.into(), value));
    }
    Ok(RowCells { line, cells })
}

fn parse_array(items: Vec<Value>) -> CellValue {
    let text = |item| match item {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let texts: Option<_> = items.into_iter().map(text).collect();
    texts.map_or(CellValue::Other, CellValue::Texts)
}
