//! Opens a file and reads its rows.

use std::fmt;

use crate::{
    columns::RaterNameOrigin,
    error::FatalReadError,
    format::{self, FileFormat, FormatFamily},
    input::{ContentKind, CsvHeader, CsvTable, FileInput},
    input_options::{InputDescription, LineCount},
    jsonl,
    mapping::ColumnMapping,
    row_iterator::RowIterator,
    row_remarks::RowRemarks,
    sheet_notes::SheetNote,
    simpeval::{self, SlotRaters},
    size_limit::reject_large_texts,
};

/// The user's statements about a file.
#[derive(Debug, Clone, Default)]
pub struct FileReadOptions {
    /// The format that the user states.
    pub family: FormatFamily,
    /// The columns (or keys) of the fields, for CSV and JSONL. Where something is mapped and the family
    /// is [`FormatFamily::Any`], a CSV file is read by the mapping, whatever its header looks like.
    pub mapping: ColumnMapping,
    /// The raters of a SimpEval file.
    pub raters: Option<SlotRaters>,
    /// Whether the names of sources and outputs replace their texts in a table of ratings that was exported without
    /// texts.
    pub names_for_texts: bool,
}

/// A file whose format is known from its first bytes.
pub struct OpenedFile<'r> {
    /// The format that was recognised.
    pub format: FileFormat,
    /// The way in which its bytes are read.
    pub input: InputDescription,
    /// The number of lines that were read so far.
    pub lines: LineCount,
    /// Remarks for the user before the import.
    pub notes: Vec<FileNote>,
    /// Remarks on the rows, complete when all of them are read.
    pub remarks: RowRemarks,
    /// The rows, read one at a time.
    pub rows: RowIterator<'r>,
}

/// A remark about a file that is not a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileNote {
    /// The file has ratings but names no raters.
    RatersUnknown,
    /// A file of raters came with a file that needs none.
    RatersUnused,
    /// How the sheet of a workbook was read.
    Sheet(SheetNote),
}

impl fmt::Display for FileNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sheet(note) => return note.fmt(f),
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
/// [`FatalReadError`] where the file is empty, not UTF-8 text, or has the wrong header. Faults further
/// down come with the rows.
pub fn open<'r>(
    input: impl Into<FileInput<'r>>,
    reading: FileReadOptions,
) -> Result<OpenedFile<'r>, FatalReadError> {
    let (family, mapping) = (reading.family, reading.mapping.clone());
    let has_columns = |header: &CsvHeader| format::has_columns(header, family, &mapping);
    open_fitting(input.into(), reading, has_columns)
}

/// As [`open`]; of a workbook, the first sheet whose header `fits`.
pub(crate) fn open_fitting<'r>(
    input: FileInput<'r>,
    reading: FileReadOptions,
    fits: impl Fn(&CsvHeader) -> bool,
) -> Result<OpenedFile<'r>, FatalReadError> {
    let input = input.open_fitting(fits)?;
    let (description, lines) = (input.description.clone(), input.lines.clone());

    match (reading.family, input.content_kind()) {
        (FormatFamily::Any | FormatFamily::Jsonl, ContentKind::Array) => {
            Err(FatalReadError::JsonArray)
        }
        (FormatFamily::Jsonl, _) | (FormatFamily::Any, ContentKind::Objects) => {
            let mut notes = Vec::new();
            notes.extend(reading.raters.map(|_| FileNote::RatersUnused));
            let remarks = RowRemarks::default();
            let rows = jsonl::read_rows(input.into_lines()?, reading.mapping, remarks.clone());
            Ok(OpenedFile {
                format: FileFormat::Jsonl,
                input: description,
                lines,
                notes,
                remarks,
                rows: reject_large_texts(rows),
            })
        }
        _ => open_table(input.into_table()?, reading, description, lines),
    }
}

fn open_table<'r>(
    mut table: CsvTable<'r>,
    reading: FileReadOptions,
    input: InputDescription,
    lines: LineCount,
) -> Result<OpenedFile<'r>, FatalReadError> {
    let FileReadOptions {
        family,
        mapping,
        raters,
        names_for_texts,
    } = reading;

    let family = match family {
        FormatFamily::Any if !mapping.fields.is_empty() => FormatFamily::Csv,
        family => family,
    };
    let (format, mut columns) =
        format::detect_columns(&mut table, family, &mapping, names_for_texts)?;

    let sheet_notes = input.sheet_notes.iter().cloned();
    let mut notes: Vec<_> = sheet_notes.map(FileNote::Sheet).collect();
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
        input,
        lines,
        notes,
        remarks: columns.remarks.clone(),
        rows: RowIterator::new(table, columns),
    })
}
