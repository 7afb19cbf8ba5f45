//! From bytes to lines and records, with bounded memory.

mod csv_table;
mod line_reader;
mod utf8_reader;

pub(crate) use csv_table::{CsvHeader, CsvRecord, CsvTable, NUL};
pub(crate) use line_reader::LineReader;
pub(crate) use utf8_reader::{ContentKind, Utf8Reader};

/// A row (a line, or a record with quoted line breaks) of more bytes than this is refused.
pub const MAX_ROW_BYTES: usize = 1 << 20;
