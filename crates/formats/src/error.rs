//! Faults of files, in sentences that the user can act on.

use std::{borrow::Cow, fmt, io};

use domain::statistics::RatingTableError;
use serde::{Deserialize, Serialize};

use crate::input_options::TextEncoding;

/// A fault of one row or of a whole file.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// One row is left out; the next rows follow.
    #[error(transparent)]
    Row(#[from] BadRow),
    /// Nothing follows, and what came before should be taken back.
    #[error(transparent)]
    Fatal(#[from] FatalReadError),
}

/// A row that is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BadRow {
    /// The line on which the row begins, from 1.
    pub line: u64,
    /// The column, key or file at fault; `None` where the row as a whole is.
    pub column: Option<String>,
    /// The fault and its remedy, continuing a sentence that begins with line and column.
    pub reason: String,
}

impl BadRow {
    pub(crate) fn new(line: u64, column: Option<&str>, reason: impl ToString) -> Self {
        Self {
            line,
            column: column.map(without_nul),
            reason: without_nul(&reason.to_string()),
        }
    }
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, reason, .. } = self;
        match &self.column {
            Some(column) => write!(f, "line {line}, “{}”: {reason}", clip(column)),
            None => write!(f, "line {line}: {reason}"),
        }
    }
}

impl std::error::Error for BadRow {}

/// A fault that prevents or ends the reading of a file.
#[derive(Debug, thiserror::Error)]
pub enum FatalReadError {
    /// No byte, or nothing but blank lines.
    #[error("the file is empty: choose one that has rows")]
    Empty,
    /// A header, and nothing below it.
    #[error("the file has a header and no rows: add rows, or choose another file")]
    NoRows,
    /// The first bytes are those of another kind of file.
    #[error("this is {0}, not a table: choose a table (CSV, TSV, JSONL or .xlsx) or a text")]
    NotText(&'static str),
    /// Another kind of file, which the program that wrote it can save as a table.
    #[error("this is {0}: save it as .xlsx or as CSV and try again")]
    OfficeFile(&'static str),
    /// A byte that is not UTF-8.
    #[error(
        "line {line} is not UTF-8 (byte {byte} of the file, counted from 0): \
         read it with --encoding windows-1252, or save it in UTF-8"
    )]
    NotUtf8 {
        /// From 1.
        line: u64,
        /// From 0.
        byte: u64,
    },
    /// Bytes that are not text in the stated encoding.
    #[error("line {line} is not {encoding}: choose another encoding, or save the file in UTF-8")]
    NotInEncoding {
        /// From 1.
        line: u64,
        /// The encoding.
        encoding: TextEncoding,
    },
    /// A gzip file that is damaged or incomplete.
    #[error("the compressed file is damaged or incomplete: compress it again and try again")]
    DamagedGzip,
    /// A compressed file that unpacks to more bytes than the limit.
    #[error("the file unpacks to more than {} MiB: leave out what is not needed, or split it", .0 >> 20)]
    UnpacksTooLarge(u64),
    /// A workbook that cannot be read.
    #[error(
        "the workbook cannot be read ({0}): open it in a spreadsheet program and save it again, or save \
         the sheet as CSV"
    )]
    DamagedWorkbook(String),
    /// A workbook beyond a limit that text tables do not have.
    #[error("{what} than {limit}: save the sheet as CSV and choose that file")]
    WorkbookTooLarge {
        /// The part that is too large, up to the word *more* or *larger*.
        what: &'static str,
        /// The limit with its unit.
        limit: String,
    },
    /// No sheet has the stated name.
    #[error("there is no sheet “{wanted}”; the sheets are: {found}")]
    NoSheet {
        /// The stated name.
        wanted: String,
        /// The names of the sheets.
        found: String,
    },
    /// A line, or a row with quoted line breaks, beyond [`crate::MAX_ROW_BYTES`].
    #[error(
        "the row on line {line} is longer than {} bytes: look there for a quotation mark that is \
         never closed, or shorten it",
        crate::MAX_ROW_BYTES
    )]
    RowTooLong {
        /// Where the row begins, from 1.
        line: u64,
    },
    /// A file that is read whole, with more bytes than the limit.
    #[error("the file is larger than {} MiB: leave out what is not needed, or split it", .0 >> 20)]
    FileTooLarge(u64),
    /// A quoted cell that runs to the end of the file.
    #[error("the quotation mark opened in the row on line {line} is never closed: close it")]
    UnclosedQuote {
        /// Where the row begins, from 1.
        line: u64,
    },
    /// The columns are not those of the format.
    #[error("wrong header: expected {expected}; found {found}; {advice}")]
    WrongHeader {
        /// The header that the format needs.
        expected: String,
        /// The header, shortened where it is long.
        found: String,
        /// The remedy.
        advice: HeaderAdvice,
    },
    /// A JSON array instead of an object on each line.
    #[error("the file is one JSON array: write one object a line (JSONL) and try again")]
    JsonArray,
    /// Text files that do not belong together.
    #[error("{0}")]
    TextFiles(String),
    /// A bad row in a file that is useful only as a whole.
    #[error(transparent)]
    Row(BadRow),
    /// No row can be used.
    #[error("no row of the file can be used:{}", first_reasons(.0))]
    NoUsableRow(Vec<BadRow>),
    /// No rating has a named rater.
    #[error(
        "the file has no ratings of raters who are named: map its columns (rating, rater, and \
         dimension where there is one)"
    )]
    NoRatings,
    /// Ratings that agreement cannot be computed from.
    #[error("the ratings cannot be compared: {0}")]
    Ratings(RatingTableError),
    /// A fault of one of several files.
    #[error("“{name}”: {fault}")]
    InFile {
        /// The file.
        name: String,
        /// Its fault.
        fault: Box<FatalReadError>,
    },
    /// The bytes could not be read.
    #[error("the file could not be read to its end")]
    Input(#[source] io::Error),
}

/// The remedy for a header that does not fit. Its `Display` is for the command line; for pages, see
/// [`FatalReadError::page_message`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderAdvice {
    /// State which column holds a field.
    MapField {
        /// The name of the field.
        field: &'static str,
        /// The contents of its column, such as “the outputs”.
        contents: &'static str,
        /// The column that was stated and is not in the file.
        missing: Option<Box<str>>,
    },
    /// Add a column of the format, or state the meaning of all columns.
    AddColumn(String),
    /// Advice that is the same in a browser and on the command line.
    Other(String),
}

impl fmt::Display for HeaderAdvice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MapField { field, .. } => {
                write!(
                    f,
                    "map {field} to one of these columns (--map {field}=COLUMN)"
                )
            }
            Self::AddColumn(name) => write!(
                f,
                "add the column “{name}”, or read the file as CSV and map its columns"
            ),
            Self::Other(advice) => f.write_str(advice),
        }
    }
}

impl From<String> for HeaderAdvice {
    fn from(advice: String) -> Self {
        Self::Other(advice)
    }
}

impl From<&str> for HeaderAdvice {
    fn from(advice: &str) -> Self {
        Self::Other(advice.to_owned())
    }
}

impl FatalReadError {
    /// The fault in words for a page, where people choose from lists instead of flags.
    #[must_use]
    pub fn page_message(&self) -> String {
        match self {
            Self::NotUtf8 { line, .. } => format!(
                "line {line} is not UTF-8: choose another encoding, or save the file in UTF-8"
            ),
            Self::WrongHeader {
                advice:
                    HeaderAdvice::MapField {
                        contents, missing, ..
                    },
                ..
            } => match missing {
                None => format!("say which column holds {contents}"),
                Some(column) => format!(
                    "the file has no column “{}”: say which column holds {contents}",
                    clip(column)
                ),
            },
            Self::WrongHeader {
                found,
                advice: HeaderAdvice::AddColumn(name),
                ..
            } => format!(
                "the column “{name}” is missing; found {found}; add it, or choose what the columns mean"
            ),
            Self::NoRatings => {
                "no rating has a named rater: say which columns hold the ratings and \
                                the raters"
                    .to_owned()
            }
            Self::InFile { name, fault } => format!("“{name}”: {}", fault.page_message()),
            _ => self.to_string(),
        }
    }

    /// The line that is not UTF-8, where that is the fault: the file may be in another encoding.
    #[must_use]
    pub fn line_not_utf8(&self) -> Option<u64> {
        match self {
            Self::NotUtf8 { line, .. } => Some(*line),
            Self::InFile { fault, .. } => fault.line_not_utf8(),
            _ => None,
        }
    }

    /// The I/O error if the bytes of the file, or of one of several files, could not be read: the fault may then
    /// not be the file's.
    ///
    /// # Errors
    /// The fault itself, if it is a different one.
    pub fn into_input_error(self) -> Result<io::Error, Self> {
        match self {
            Self::Input(error) => Ok(error),
            Self::InFile { name, fault } => {
                let other = |fault| Self::InFile {
                    name,
                    fault: Box::new(fault),
                };
                fault.into_input_error().map_err(other)
            }
            fault => Err(fault),
        }
    }

    pub(crate) fn in_file(self, name: &str) -> Self {
        Self::InFile {
            name: name.to_owned(),
            fault: Box::new(self),
        }
    }
}

/// Faults found while reading pass through `std::io` as inner errors; this takes them out again.
impl From<io::Error> for FatalReadError {
    fn from(error: io::Error) -> Self {
        error.downcast::<Self>().unwrap_or_else(Self::Input)
    }
}

impl From<csv::Error> for FatalReadError {
    fn from(error: csv::Error) -> Self {
        inner_error(error).into()
    }
}

/// Unwraps the I/O error inside one of `csv`, which would hide it.
pub(crate) fn inner_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// The first reasons why rows are left out, each on its own line.
fn first_reasons(bad_rows: &[BadRow]) -> String {
    const LISTED: usize = 10;
    let first = bad_rows.iter().take(LISTED);
    let mut text: String = first.map(|bad| format!("\n  {bad}")).collect();
    if bad_rows.len() > LISTED {
        text += &format!("\n  and {} more", bad_rows.len() - LISTED);
    }
    text
}

/// A message without NUL, which not every database can store.
fn without_nul(text: &str) -> String {
    text.replace('\0', "␀")
}

/// The beginning of a text that may be long, for a message.
pub(crate) fn clip(text: &str) -> String {
    clipped(text).into_owned()
}

/// As [`clip`]; a short text is borrowed.
pub(crate) fn clipped(text: &str) -> Cow<'_, str> {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// The reason why a line is not a JSON object.
pub(crate) fn not_an_object(error: &serde_json::Error) -> String {
    let (message, column) = (json_message(error), error.column());
    format!("is not a JSON object: {message}, character {column}")
}

/// The JSON parser's message without its line number, which is not that of the file.
pub(crate) fn json_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((message, _)) => clip(message),
        None => clip(&text),
    }
}
