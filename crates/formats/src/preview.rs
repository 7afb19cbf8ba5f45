//! The beginning of a file, for the user to map its columns.

use serde_json::{Map, Value};

use crate::{
    error::{FatalReadError, clip},
    format::{self, FileFormat, FormatFamily},
    guess::{ColumnGuess, guess_columns},
    input::{ContentKind, CsvHeader, CsvTable, FileInput, LineReader, OpenedInput},
    input_options::InputDescription,
    json_line::without_python_numbers,
    mapping::{ColumnMapping, FileField},
    text_files::is_text_file,
};

/// The number of rows from which columns are guessed.
const SAMPLE_ROWS: usize = 200;

/// The beginning of a file as a table.
#[derive(Debug, Clone, PartialEq)]
pub struct FilePreview {
    /// The format as it looks. [`FileFormat::Csv`] and [`FileFormat::Jsonl`] are read by a mapping.
    pub format: FileFormat,
    /// The way in which its bytes are read.
    pub input: InputDescription,
    /// The columns, or the keys of the rows.
    pub header: Vec<String>,
    /// The first rows, by the columns of the header; a short row lacks its last cells.
    pub rows: Vec<Vec<String>>,
    /// The mapping that is guessed, for the user to correct.
    pub mapping: ColumnMapping,
    /// For each column of the header, the guessed field and the reason.
    pub guesses: Vec<Option<ColumnGuess>>,
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

    /// Makes the mapping from guesses, which need more rows than are shown.
    fn guess(mut self, sample: &[Vec<String>], count: usize) -> Self {
        self.guesses = guess_columns(&self.header, sample);
        if self.format == FileFormat::Jsonl {
            for (name, guess) in self.header.iter().zip(&mut self.guesses) {
                // These two have shapes of their own, whatever is mapped.
                if matches!(name.as_str(), "ratings" | "references") {
                    *guess = None;
                }
            }
        }

        self.mapping = ColumnMapping::default();
        for (name, guess) in self.header.iter().zip(&self.guesses) {
            if let Some(guess) = guess {
                let added = self.mapping.fields.add(guess.field, name);
                added.expect("a field that has one column is guessed once");
            }
        }

        if self.format != FileFormat::Jsonl {
            // The mapping is exactly what the user sees. In JSONL, later rows may have keys that the first ones lack.
            self.mapping.fields = self.mapping.fields.without_defaults();
        }

        self.rows = sample.iter().take(count).cloned().collect();
        self
    }
}

/// Reads the first `count` rows of a file called `name`; the name shows whether it is plain text.
///
/// # Errors
/// As [`crate::open`], for the part that is read.
pub fn preview<'r>(
    name: &str,
    input: impl Into<FileInput<'r>>,
    count: usize,
) -> Result<FilePreview, FatalReadError> {
    preview_opened(name, input.into().open_fitting(may_be_table)?, count)
}

pub(crate) fn preview_opened(
    name: &str,
    input: OpenedInput<'_>,
    count: usize,
) -> Result<FilePreview, FatalReadError> {
    let description = input.description.clone();
    match input.content_kind() {
        _ if is_text_file(name) => preview_text(input.into_lines()?, count, description),
        ContentKind::Objects => preview_objects(input.into_lines()?, count, description),
        ContentKind::Array => Err(FatalReadError::JsonArray),
        ContentKind::Cells(_) => preview_table(input.into_table()?, count, description),
    }
}

/// Whether a header is that of a known format, or has a column named like a source.
fn may_be_table(header: &CsvHeader) -> bool {
    let suggested = ColumnMapping::suggest(header.names());
    format::has_columns(header, FormatFamily::Any, &ColumnMapping::default())
        || suggested.fields.columns(FileField::Source).next().is_some()
}

/// The beginning of a line of a text, for the user to see whether the encoding is right; `None` if the
/// text has fewer lines.
///
/// # Errors
/// Where the file cannot be read up to this line.
pub fn read_line<'r>(
    input: impl Into<FileInput<'r>>,
    number: u64,
) -> Result<Option<String>, FatalReadError> {
    let mut lines = input.into().open()?.into_lines()?;
    while let Some((line, text)) = lines.read_line()? {
        if line == number {
            return Ok(Some(clip(&text)));
        }
    }
    Ok(None)
}

fn preview_text(
    mut lines: LineReader<'_>,
    count: usize,
    mut input: InputDescription,
) -> Result<FilePreview, FatalReadError> {
    input.separator = None;

    let mut rows = Vec::new();
    for _ in 0..count {
        let Some((_, line)) = lines.read_line()? else {
            break;
        };
        rows.push(vec![line]);
    }

    Ok(FilePreview {
        format: FileFormat::Text,
        input,
        header: vec!["sentence".to_owned()],
        rows,
        mapping: ColumnMapping::default(),
        guesses: vec![None],
    })
}

fn preview_table(
    mut table: CsvTable<'_>,
    count: usize,
    input: InputDescription,
) -> Result<FilePreview, FatalReadError> {
    let names = table.header().names().iter();
    let header: Vec<String> = names.map(ToString::to_string).collect();

    let detected = format::detect_columns(
        &mut table,
        FormatFamily::Any,
        &ColumnMapping::default(),
        false,
    );
    let format = detected.map_or(FileFormat::Csv, |(format, _)| format);

    let mut sample = Vec::new();
    while sample.len() < count.max(SAMPLE_ROWS) {
        match table.read_record() {
            Ok(None) => break,
            Ok(Some(record)) => sample.push(record.cells.iter().map(str::to_owned).collect()),
            // A wrong encoding is reported at once, even below the rows shown; other faults wait for the reader.
            Err(fault) if sample.len() < count || fault.line_not_utf8().is_some() => {
                return Err(fault);
            }
            Err(_) => break,
        }
    }

    let preview = FilePreview {
        format,
        input,
        header,
        rows: Vec::new(),
        mapping: ColumnMapping::default(),
        guesses: Vec::new(),
    };
    Ok(preview.guess(&sample, count))
}

/// The preview of JSONL. Lines that are not objects are left out; reading the file reports them.
fn preview_objects(
    mut lines: LineReader<'_>,
    count: usize,
    input: InputDescription,
) -> Result<FilePreview, FatalReadError> {
    let mut objects: Vec<Map<String, Value>> = Vec::new();
    for number in 0..count.max(SAMPLE_ROWS) {
        match lines.read_line() {
            Ok(None) => break,
            Ok(Some((_, line))) => {
                objects.extend(serde_json::from_str(&without_python_numbers(&line)));
            }
            Err(fault) if number < count || fault.line_not_utf8().is_some() => return Err(fault),
            Err(_) => break,
        }
    }

    let mut header: Vec<String> = Vec::new();
    for key in objects.iter().take(count).flat_map(Map::keys) {
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
    let sample: Vec<Vec<String>> = objects.iter().map(row).collect();

    let preview = FilePreview {
        format: FileFormat::Jsonl,
        input,
        header: header.clone(),
        rows: Vec::new(),
        mapping: ColumnMapping::default(),
        guesses: Vec::new(),
    };
    Ok(preview.guess(&sample, count))
}
