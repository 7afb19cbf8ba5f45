//! Writing CSV, row by row: RFC 4180 with LF, quotes only where a cell needs them.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use crate::fault::unwrapped;

/// What is done to cells that a spreadsheet would run as a formula.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cells {
    /// Nothing: what is read again is what was written.
    #[default]
    Verbatim,
    /// A `'` goes before a cell that begins with `=`, `+`, `-`, `@`, tab or carriage return and is
    /// no number. For files that people open in a spreadsheet.
    Guarded,
}

/// Writes rows of as many cells as the header has.
pub struct CsvWriter<W: Write> {
    csv: csv::Writer<W>,
    cells: Cells,
}

impl<W: Write> CsvWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn new<T: AsRef<str>>(
        out: W,
        header: impl IntoIterator<Item = T>,
        cells: Cells,
    ) -> io::Result<Self> {
        let csv = csv::WriterBuilder::new()
            .terminator(csv::Terminator::Any(b'\n'))
            .from_writer(out);
        let mut writer = Self { csv, cells };
        writer.write(header)?;
        Ok(writer)
    }

    /// Writes a row.
    ///
    /// # Errors
    /// Where `out` fails, or the row has another number of cells than the header.
    pub fn write<T: AsRef<str>>(&mut self, row: impl IntoIterator<Item = T>) -> io::Result<()> {
        for cell in row {
            let text = match self.cells {
                Cells::Verbatim => Cow::Borrowed(cell.as_ref()),
                Cells::Guarded => guarded(cell.as_ref()),
            };
            self.csv.write_field(text.as_bytes()).map_err(unwrapped)?;
        }
        self.csv.write_record(None::<&[u8]>).map_err(unwrapped)
    }

    /// Writes what is buffered and gives the output back.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn finish(self) -> io::Result<W> {
        self.csv
            .into_inner()
            .map_err(csv::IntoInnerError::into_error)
    }
}

fn guarded(cell: &str) -> Cow<'_, str> {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err() {
        Cow::Owned(format!("'{cell}"))
    } else {
        Cow::Borrowed(cell)
    }
}
