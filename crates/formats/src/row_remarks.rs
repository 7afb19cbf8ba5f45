//! Remarks on the rows of a file that are not faults.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use unicode_normalization::char::is_combining_mark;

use crate::{error::clip, visible_form::is_invisible};

/// The most names listed in a remark.
const MAX_LISTED: usize = 3;
/// The most names kept. Beyond them, it is only noted that there are more.
const MAX_KEPT: usize = 1_000;

/// The remarks of a reader on the rows that it has read so far. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct RowRemarks(Arc<Mutex<NoticedRows>>);

#[derive(Debug, Default)]
struct NoticedRows {
    /// By column, the number of rows whose ratings are left out.
    rejected: BTreeMap<Arc<str>, u64>,
    /// The names that are read differently from how they are written: as written, and as read.
    names: BTreeMap<String, String>,
    more_names: bool,
    /// The line of the first row with a cell that looks like rows, and the number of such rows.
    swallowing: Option<(u64, u64)>,
}

/// A remark on rows of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowRemark {
    /// The ratings of some rows are left out, since the platform's own column says that the work was rejected.
    RejectedAssignments {
        /// The column.
        column: String,
        /// The number of rows.
        rows: u64,
    },
    /// Some names are written with invisible differences, and read without them.
    JoinedNames {
        /// The first of them, as they are written and as they are read.
        first: Vec<(String, String)>,
        /// The number of the others.
        more: usize,
        /// Whether there were more than could be counted.
        uncounted: bool,
    },
    /// Some quoted cells hold what looks like rows of the table, as after an unclosed quotation mark.
    SwallowedRows {
        /// The line of the first row with such a cell.
        line: u64,
        /// The number of such rows.
        rows: u64,
    },
    /// Sources without a name of their own have texts that differ only in tokenisation, quotes, dashes, case or
    /// Unicode form, and count as one.
    JoinedSources {
        /// One such text.
        written: String,
        /// The text of the source that it was taken for.
        read: String,
    },
}

impl fmt::Display for RowRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RejectedAssignments { column, rows } => {
                let (rows, are) = match rows {
                    1 => ("one row".to_owned(), "is"),
                    rows => (format!("{rows} rows"), "are"),
                };
                write!(
                    f,
                    "Ratings of {rows} {are} left out, since “{column}” says that the assignment was rejected or not \
                     completed. To count them, remove that column."
                )
            }
            Self::JoinedNames {
                first,
                more,
                uncounted,
            } => {
                f.write_str(
                    "Names that look the same count as one, whatever spaces they have and however their letters are \
                     encoded: ",
                )?;

                let pairs = first.iter().map(|(written, read)| {
                    format!("“{}” is read as “{}”", shown(written), clip(read))
                });
                f.write_str(&pairs.collect::<Vec<_>>().join(", "))?;

                match (more, uncounted) {
                    (0, false) => f.write_str("."),
                    (more, false) => write!(f, ", and {more} more."),
                    (more, true) => write!(f, ", and more than {more} others."),
                }
            }
            Self::SwallowedRows { line, rows } => {
                let rows = match rows {
                    1 => format!("The row on line {line} has a cell"),
                    rows => format!("{rows} rows, the first on line {line}, have a cell"),
                };
                write!(
                    f,
                    "{rows} with line breaks that looks like rows of the table: look there for a quotation mark that \
                     is not closed, and close it or write it twice."
                )
            }
            Self::JoinedSources { written, read } => write!(
                f,
                "Some sources are written in several ways and count as one each, such as “{}” and “{}”. To keep \
                 them apart, give each a source_id of its own.",
                shown(written),
                shown(read)
            ),
        }
    }
}

/// A name with its invisible characters shown by their numbers.
fn shown(name: &str) -> String {
    let mut text = String::new();
    for sign in name.chars() {
        let is_hidden = sign.is_whitespace() || sign.is_control() || is_invisible(sign);
        if sign != ' ' && (is_hidden || is_combining_mark(sign)) {
            text += &format!("[U+{:04X}]", u32::from(sign));
        } else {
            text.push(sign);
        }
    }
    clip(&text)
}

impl RowRemarks {
    /// The remarks on the rows that were read so far.
    #[must_use]
    pub fn list(&self) -> Vec<RowRemark> {
        let noticed = self.lock();
        let rejected = noticed.rejected.iter().map(|(column, rows)| {
            let column = column.to_string();
            RowRemark::RejectedAssignments {
                column,
                rows: *rows,
            }
        });
        let mut remarks: Vec<_> = rejected.collect();

        if let Some((line, rows)) = noticed.swallowing {
            remarks.push(RowRemark::SwallowedRows { line, rows });
        }
        if !noticed.names.is_empty() {
            let names = noticed.names.iter().take(MAX_LISTED);
            remarks.push(RowRemark::JoinedNames {
                first: names
                    .map(|(written, read)| (written.clone(), read.clone()))
                    .collect(),
                more: noticed.names.len().saturating_sub(MAX_LISTED),
                uncounted: noticed.more_names,
            });
        }

        remarks
    }

    /// Counts a row whose ratings are left out, since this column says that its assignment was rejected.
    pub(crate) fn add_rejected(&self, column: &Arc<str>) {
        *self.lock().rejected.entry(column.clone()).or_default() += 1;
    }

    /// Counts a row with a cell that looks like rows of the table.
    pub(crate) fn add_swallowing(&self, line: u64) {
        self.lock().swallowing.get_or_insert((line, 0)).1 += 1;
    }

    /// Keeps a name that is read differently from how it is written.
    pub(crate) fn add_name(&self, written: &str, read: &str) {
        let mut noticed = self.lock();
        if noticed.names.contains_key(written) {
            return;
        }
        match noticed.names.len() < MAX_KEPT {
            true => _ = noticed.names.insert(written.to_owned(), read.to_owned()),
            false => noticed.more_names = true,
        }
    }

    fn lock(&self) -> MutexGuard<'_, NoticedRows> {
        // Counts are consistent after each statement.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
