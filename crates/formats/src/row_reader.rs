//! One file in, rows out.

use std::{fmt, io::Read};

use crate::{
    columns::{ColumnLayout, RaterNameOrigin},
    error::{FatalReadError, ReadError},
    format::{self, FileFormat, FormatFamily},
    input::{ContentKind, CsvTable, LineReader, Utf8Reader},
    jsonl,
    mapping::ColumnMapping,
    row::FileRow,
    simpeval::{self, SlotRaters},
    size_limit::reject_large_texts,
};

/// What is known of a file beforehand.
#[derive(Debug, Clone, Default)]
pub struct FileReadOptions {
    /// What it is said to be.
    pub family: FormatFamily,
    /// Which column (or key) is what, for CSV and JSONL. Where something is mapped and the family
    /// is [`Family::Any`], a CSV file is read by the mapping, whatever its header looks like.
    pub mapping: ColumnMapping,
    /// Who is behind the ratings of a SimpEval file.
    pub raters: Option<SlotRaters>,
}

/// A file of which the first bytes were read and understood.
pub struct OpenedFile<'r> {
    /// What it turned out to be.
    pub format: FileFormat,
    /// What people should know before they take it.
    pub notes: Vec<FileNote>,
    /// The rows, read as they are asked for.
    pub rows: RowIterator<'r>,
}

/// Rows and problems in the order of the file. A [`Problem::Row`] is followed by the rows after it;
/// a [`Problem::Fatal`] is the last item.
pub type RowIterator<'r> = Box<dyn Iterator<Item = Result<FileRow, ReadError>> + Send + 'r>;

/// Something about a file that is no fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileNote {
    /// The file has ratings but does not say whose.
    RatersUnknown,
    /// A file of raters came with a file that has no use for one.
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
/// [`Fatal`] where the file is empty, no UTF-8 text, or has the wrong header. What is wrong further
/// down comes with the rows.
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
        FormatFamily::Any if !mapping.is_empty() => FormatFamily::Csv,
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

pub(crate) fn table_rows<'r>(
    mut table: CsvTable<impl Read + Send + 'r>,
    columns: ColumnLayout,
) -> RowIterator<'r> {
    until_fatal(move || {
        let record = table.read_record().map_err(ReadError::Fatal).transpose()?;
        Some(record.and_then(|record| columns.read_row(&record).map_err(ReadError::Row)))
    })
}

/// What `next` gives, up to its first `None` or [`Problem::Fatal`].
pub(crate) fn until_fatal<'r, T>(
    mut next: impl FnMut() -> Option<Result<T, ReadError>> + Send + 'r,
) -> Box<dyn Iterator<Item = Result<T, ReadError>> + Send + 'r> {
    let mut over = false;
    Box::new(std::iter::from_fn(move || {
        if over {
            return None;
        }
        let item = next();
        over = matches!(item, None | Some(Err(ReadError::Fatal(_))));
        item
    }))
}
