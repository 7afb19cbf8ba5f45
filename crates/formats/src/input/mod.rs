//! Turns bytes into lines and records, with bounded memory.

mod csv_table;
mod decoder;
mod file_input;
mod gzip;
mod line_reader;
mod long_numbers;
mod opened_input;
mod sheet_builder;
mod sheet_cells;
mod sheet_choice;
mod sheet_rows;
mod tab_records;
mod utf8_reader;
mod workbook_limits;
mod xml_tags;

use std::io::Read;

pub(crate) use csv_table::{CsvHeader, CsvRecord, CsvTable, NUL};
pub use file_input::FileInput;
pub use gzip::MAX_UNPACKED_BYTES;
pub(crate) use line_reader::LineReader;
pub(crate) use opened_input::{DecodedContent, DecodedInput, OpenedInput};
pub(crate) use utf8_reader::{ContentKind, Utf8Reader};

/// The most bytes of a row: a line, or a record with quoted line breaks.
pub const MAX_ROW_BYTES: usize = 1 << 20;

/// The bytes of a file.
pub(crate) type BoxedRead<'r> = Box<dyn Read + Send + 'r>;
