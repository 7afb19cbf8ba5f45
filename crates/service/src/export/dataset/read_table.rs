//! A Parquet file as a table of text, for the readers of tables.

use formats::{CsvWriter, FormulaEscaping};
use parquet::{
    errors::ParquetError,
    file::reader::{ChunkReader, FileReader, SerializedFileReader},
    record::{Field, Row},
};

use crate::export::format_timestamp;

/// The first bytes of a Parquet file.
pub const PARQUET_MAGIC: &[u8] = b"PAR1";

/// Why a Parquet file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ParquetFault {
    /// It is damaged, or written in a way that is not supported here.
    #[error(
        "the Parquet file cannot be read ({0}): write it again with the compression Snappy, or save the table as CSV"
    )]
    Parquet(#[from] ParquetError),
    /// The table could not be written as CSV.
    #[error("the table of a Parquet file cannot be written as text")]
    Table(#[from] std::io::Error),
}

/// Converts a Parquet file to CSV. Columns of lists and of records are left out.
///
/// # Errors
/// [`ParquetFault`] if the file cannot be read to its end.
pub fn parquet_as_csv(file: impl ChunkReader + 'static) -> Result<Vec<u8>, ParquetFault> {
    let reader = SerializedFileReader::new(file)?;
    let fields = reader.metadata().file_metadata().schema().get_fields();
    let columns: Vec<_> = (fields.iter().enumerate())
        .filter(|(_, field)| field.is_primitive())
        .map(|(place, field)| (place, field.name()))
        .collect();

    let header = columns.iter().map(|(_, name)| *name);
    let mut table = CsvWriter::new(Vec::new(), header, FormulaEscaping::Verbatim)?;

    for row in reader.get_row_iter(None)? {
        let row: Row = row?;
        let cells: Vec<_> = row
            .get_column_iter()
            .map(|(_, cell)| cell_text(cell))
            .collect();

        table.write(columns.iter().map(|(place, _)| &*cells[*place]))?;
    }
    Ok(table.finish()?)
}

/// A value as exports of tables write it; empty if it is missing.
fn cell_text(cell: &Field) -> String {
    match cell {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        Field::TimestampMillis(ms) => format_timestamp(*ms),
        Field::TimestampMicros(us) => format_timestamp(us / 1000),
        Field::Double(number) => number.to_string(),
        Field::Float(number) => number.to_string(),
        other => other.to_string(),
    }
}
