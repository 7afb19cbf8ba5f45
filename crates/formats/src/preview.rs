//! The beginning of a file, for the user to map its columns.

use std::io::Read;

use serde_json::{Map, Value};

use crate::{
    error::FatalReadError,
    format::{self, FileFormat, FormatFamily},
    input::{ContentKind, CsvTable, LineReader, Utf8Reader},
    mapping::ColumnMapping,
};

/// The beginning of a file as a table.
#[derive(Debug, Clone, PartialEq)]
pub struct FilePreview {
    /// The format as it looks. [`FileFormat::Csv`] and [`FileFormat::Jsonl`] are read by a mapping.
    pub format: FileFormat,
    /// The columns, or the keys of the rows.
    pub header: Vec<String>,
    /// The first rows, cells under the header; where a row is short, the rest is missing.
    pub rows: Vec<Vec<String>>,
    /// The mapping that the names of columns suggest, for the user to correct.
    pub mapping: ColumnMapping,
}

impl FilePreview {
    /// The beginning of the first value in a column that is not blank, as an example of its contents.
    #[must_use]
    pub fn example(&self, column: usize) -> String {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let mut filled = cells.filter(|cell| !cell.trim().is_empty());
        let first = filled.next().map(String::as_str).unwrap_or_default();
        first.chars().take(120).collect()
    }
}

/// Reads the first `count` rows of a file called `name`, which shows whether it is plain text.
///
/// # Errors
/// As [`crate::open`], for the part that is read.
pub fn preview(name: &str, input: impl Read, count: usize) -> Result<FilePreview, FatalReadError> {
    let input = Utf8Reader::open(input)?;
    match input.content_kind() {
        _ if is_text_file(name) => preview_text(input, count),
        ContentKind::Objects => preview_objects(input, count),
        ContentKind::Array => Err(FatalReadError::JsonArray),
        ContentKind::Cells(_) => preview_table(input, count),
    }
}

fn is_text_file(name: &str) -> bool {
    name.ends_with(".orig") || name.ends_with(".txt") || name.contains(".simp.")
}

fn preview_text(input: Utf8Reader<impl Read>, count: usize) -> Result<FilePreview, FatalReadError> {
    let mut lines = LineReader::new(input);
    let mut rows = Vec::new();
    for _ in 0..count {
        let Some((_, line)) = lines.read_line()? else {
            break;
        };
        rows.push(vec![line]);
    }
    Ok(FilePreview {
        format: FileFormat::Text,
        header: vec!["sentence".to_owned()],
        rows,
        mapping: ColumnMapping::default(),
    })
}

fn preview_table(
    input: Utf8Reader<impl Read>,
    count: usize,
) -> Result<FilePreview, FatalReadError> {
    let mut table = CsvTable::open(input)?;
    let header: Vec<String> = table
        .header()
        .names()
        .iter()
        .map(ToString::to_string)
        .collect();
    let mapping = ColumnMapping::suggest(&header);
    let format =
        match format::detect_columns(&mut table, FormatFamily::Any, &ColumnMapping::default()) {
            Ok((format, _)) => format,
            Err(_) => FileFormat::Csv,
        };
    let mut rows = Vec::new();
    for _ in 0..count {
        let Some(record) = table.read_record()? else {
            break;
        };
        rows.push(record.cells.iter().map(str::to_owned).collect());
    }
    Ok(FilePreview {
        format,
        header,
        rows,
        mapping,
    })
}

/// The preview of JSONL. Lines that are no objects are left out; reading the file reports them.
fn preview_objects(
    input: Utf8Reader<impl Read>,
    count: usize,
) -> Result<FilePreview, FatalReadError> {
    let mut lines = LineReader::new(input);
    let mut objects: Vec<Map<String, Value>> = Vec::new();
    for _ in 0..count {
        let Some((_, line)) = lines.read_line()? else {
            break;
        };
        objects.extend(serde_json::from_str(&line));
    }
    let mut header: Vec<String> = Vec::new();
    for key in objects.iter().flat_map(Map::keys) {
        if !header.contains(key) {
            header.push(key.clone());
        }
    }
    let cell = |object: &Map<String, Value>, key: &String| match object.get(key) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let row = |object| header.iter().map(|key| cell(object, key)).collect();
    let rows = objects.iter().map(row).collect();
    // These two are read by their own shape, whatever is mapped.
    let is_mappable = |key: &&String| !matches!(key.as_str(), "ratings" | "references");
    let mappable: Vec<_> = header.iter().filter(is_mappable).collect();
    Ok(FilePreview {
        format: FileFormat::Jsonl,
        rows,
        mapping: ColumnMapping::suggest(&mappable),
        header,
    })
}
