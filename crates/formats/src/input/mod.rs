//! From bytes to lines and records, with bounded memory.

mod csv_table;
mod line_reader;
mod utf8_reader;

pub(crate) use csv_table::{CsvHeader, CsvRecord, CsvTable, NUL};
pub(crate) use line_reader::LineReader;
pub(crate) use utf8_reader::{ContentKind, Utf8Reader};

/// The most bytes of a row: a line, or a record with quoted line breaks.
pub const MAX_ROW_BYTES: usize = 1 << 20;
