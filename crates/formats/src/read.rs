//! One file in, rows out.

use std::{fmt, io::Read};

use crate::{
    columns::{Columns, RaterFrom},
    fault::{Fatal, Problem},
    format::{self, Family, Format},
    input::{Guarded, Lines, Look, Table},
    jsonl,
    mapping::Mapping,
    row::Row,
    simpeval::{self, Raters},
    sizes::sized,
};

/// What is known of a file beforehand.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// What it is said to be.
    pub family: Family,
    /// Which column (or key) is what, for CSV and JSONL. Where something is mapped and the family
    /// is [`Family::Any`], a CSV file is read by the mapping, whatever its header looks like.
    pub mapping: Mapping,
    /// Who is behind the ratings of a SimpEval file.
    pub raters: Option<Raters>,
}

/// A file of which the first bytes were read and understood.
pub struct Opened<'r> {
    /// What it turned out to be.
    pub format: Format,
    /// What people should know before they take it.
    pub notes: Vec<Note>,
    /// The rows, read as they are asked for.
    pub rows: Rows<'r>,
}

/// Rows and problems in the order of the file. A [`Problem::Row`] is followed by the rows after it;
/// a [`Problem::Fatal`] is the last item.
pub type Rows<'r> = Box<dyn Iterator<Item = Result<Row, Problem>> + Send + 'r>;

/// Something about a file that is no fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// The file has ratings but does not say whose.
    RatersUnknown,
    /// A file of raters came with a file that has no use for one.
    RatersUnused,
}

impl fmt::Display for Note {
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
pub fn open<'r>(input: impl Read + Send + 'r, reading: Reading) -> Result<Opened<'r>, Fatal> {
    let input = Guarded::open(input)?;
    match (reading.family, input.look()) {
        (Family::Any | Family::Jsonl, Look::Array) => Err(Fatal::JsonArray),
        (Family::Jsonl, _) | (Family::Any, Look::Objects) => {
            let mut notes = Vec::new();
            notes.extend(reading.raters.map(|_| Note::RatersUnused));
            Ok(Opened {
                format: Format::Jsonl,
                notes,
                rows: sized(jsonl::rows(Lines::new(input), reading.mapping)),
            })
        }
        _ => open_table(Table::open(input)?, reading),
    }
}

fn open_table<'r>(
    mut table: Table<impl Read + Send + 'r>,
    reading: Reading,
) -> Result<Opened<'r>, Fatal> {
    let Reading {
        family,
        mapping,
        raters,
    } = reading;
    let family = match family {
        Family::Any if !mapping.is_empty() => Family::Csv,
        family => family,
    };
    let (format, mut columns) = format::columns(&mut table, family, &mapping)?;
    let mut notes = Vec::new();
    match raters {
        Some(raters) if format.is_simpeval() => simpeval::name_raters(&mut columns, raters),
        Some(_) => notes.push(Note::RatersUnused),
        None => {}
    }
    if !columns.ratings.is_empty() && matches!(columns.rater, RaterFrom::Nowhere) {
        notes.push(Note::RatersUnknown);
    }
    Ok(Opened {
        format,
        notes,
        rows: sized(rows(table, columns)),
    })
}

pub(crate) fn rows<'r>(mut table: Table<impl Read + Send + 'r>, columns: Columns) -> Rows<'r> {
    until_fatal(move || {
        let record = table.read().map_err(Problem::Fatal).transpose()?;
        Some(record.and_then(|record| columns.row(&record).map_err(Problem::Row)))
    })
}

/// What `next` gives, up to its first `None` or [`Problem::Fatal`].
pub(crate) fn until_fatal<'r, T>(
    mut next: impl FnMut() -> Option<Result<T, Problem>> + Send + 'r,
) -> Box<dyn Iterator<Item = Result<T, Problem>> + Send + 'r> {
    let mut over = false;
    Box::new(std::iter::from_fn(move || {
        if over {
            return None;
        }
        let item = next();
        over = matches!(item, None | Some(Err(Problem::Fatal(_))));
        item
    }))
}
