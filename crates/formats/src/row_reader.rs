//! One file in, rows out.

use std::{fmt, io::Read};

use crate::{
    columns::{ColumnLayout, RaterNameOrigin},
    error::{FatalReadError, ReadError},
    format::{self, FileFormat, FormatFamily},
    input::{ContentKind, CsvTable, LineReader, Utf8Reader},
    jsonl,
    mapping::ColumnMapping,
    row_iterator::{RowIterator, until_fatal},
    simpeval::{self, SlotRaters},
    size_limit::reject_large_texts,
};

/// Facts about a file that the user states.
#[derive(Debug, Clone, Default)]
pub struct FileReadOptions {
    /// The format that the user states.
    pub family: FormatFamily,
    /// The columns (or keys) of the fields, for CSV and JSONL. Where something is mapped and the family
    /// is [`FormatFamily::Any`], a CSV file is read by the mapping, whatever its header looks like.
    pub mapping: ColumnMapping,
    /// The raters of a SimpEval file.
    pub raters: Option<SlotRaters>,
}

/// A file whose format is known from its first bytes.
pub struct OpenedFile<'r> {
    /// The format that was recognised.
    pub format: FileFormat,
    /// Remarks for the user before the import.
    pub notes: Vec<FileNote>,
    /// The rows, read one at a time.
    pub rows: RowIterator<'r>,
}

/// A remark about a file that is no fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileNote {
    /// The file has ratings but names no raters.
    RatersUnknown,
    /// A file of raters came with a file that needs none.
    RatersUnused,
}

impl fmt::Display for FileNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RatersUnknown => {
                "The file does not say who gave its ratings: they are kept as scores without \
                 raters and enter no agreement. To count them, add the file of raters \
                 (original_id,system,slot,rater) or name the column of the rater."
            }
            Self::RatersUnused => "The file of raters was not used: only SimpEval files need one.",
        })
    }
}

/// Opens a file of any format but plain text, for which see [`crate::open_texts`].
///
/// # Errors
/// [`FatalReadError`] where the file is empty, no UTF-8 text, or has the wrong header. Faults further
/// down come with the rows.
pub fn open<'r>(
    input: impl Read + Send + 'r,
    reading: FileReadOptions,
) -> Result<OpenedFile<'r>, FatalReadError> {
    let input = Utf8Reader::open(input)?;
    match (reading.family, input.content_kind()) {
        (FormatFamily::Any | FormatFamily::Jsonl, ContentKind::Array) => {
            Err(FatalReadError::JsonArray)
        }
        (FormatFamily::Jsonl, _) | (FormatFamily::Any, ContentKind::Objects) => {
            let mut notes = Vec::new();
            notes.extend(reading.raters.map(|_| FileNote::RatersUnused));
            Ok(OpenedFile {
                format: FileFormat::Jsonl,
                notes,
                rows: reject_large_texts(jsonl::read_rows(LineReader::new(input), reading.mapping)),
            })
        }
        _ => open_table(CsvTable::open(input)?, reading),
    }
}

fn open_table<'r>(
    mut table: CsvTable<impl Read + Send + 'r>,
    reading: FileReadOptions,
) -> Result<OpenedFile<'r>, FatalReadError> {
    let FileReadOptions {
        family,
        mapping,
        raters,
    } = reading;
    let family = match family {
        FormatFamily::Any if !mapping.fields.is_empty() => FormatFamily::Csv,
        family => family,
    };
    let (format, mut columns) = format::detect_columns(&mut table, family, &mapping)?;
    let mut notes = Vec::new();
    match raters {
        Some(raters) if format.is_simpeval() => simpeval::name_raters(&mut columns, raters),
        Some(_) => notes.push(FileNote::RatersUnused),
        None => {}
    }
    if !columns.ratings.is_empty() && matches!(columns.rater, RaterNameOrigin::Unnamed) {
        notes.push(FileNote::RatersUnknown);
    }
    Ok(OpenedFile {
        format,
        notes,
        rows: reject_large_texts(table_rows(table, columns)),
    })
}

fn table_rows<'r>(
    mut table: CsvTable<impl Read + Send + 'r>,
    columns: ColumnLayout,
) -> RowIterator<'r> {
    until_fatal(move || {
        let record = table.read_record().map_err(ReadError::Fatal).transpose()?;
        Some(record.and_then(|record| columns.read_row(&record).map_err(ReadError::Row)))
    })
}
