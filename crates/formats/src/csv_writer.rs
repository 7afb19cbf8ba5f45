//! Writing CSV, row by row: RFC 4180 with LF, quotes only where a cell needs them.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use crate::error::inner_error;

/// The treatment of cells that a spreadsheet would run as a formula.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FormulaEscaping {
    /// None: reading returns what was written.
    #[default]
    Verbatim,
    /// A `'` goes before each [formula cell](is_formula). For files that people open in a spreadsheet.
    Guarded,
}

impl FormulaEscaping {
    /// The cell as it is written.
    pub(crate) fn apply(self, cell: &str) -> Cow<'_, str> {
        match self {
            Self::Guarded if is_formula(cell) => Cow::Owned(format!("'{cell}")),
            Self::Verbatim | Self::Guarded => Cow::Borrowed(cell),
        }
    }
}

/// Writes rows with as many cells as the header.
pub struct CsvWriter<W: Write> {
    csv: csv::Writer<W>,
    escaping: FormulaEscaping,
    formula_cells: u64,
}

impl<W: Write> CsvWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn new<T: AsRef<str>>(
        out: W,
        header: impl IntoIterator<Item = T>,
        cells: FormulaEscaping,
    ) -> io::Result<Self> {
        let csv = csv::WriterBuilder::new()
            .terminator(csv::Terminator::Any(b'\n'))
            .from_writer(out);
        let mut writer = Self {
            csv,
            escaping: cells,
            formula_cells: 0,
        };
        writer.write(header)?;
        Ok(writer)
    }

    /// Writes a row.
    ///
    /// # Errors
    /// Where `out` fails, or the row has more or fewer cells than the header.
    pub fn write<T: AsRef<str>>(&mut self, row: impl IntoIterator<Item = T>) -> io::Result<()> {
        for cell in row {
            let cell = cell.as_ref();
            self.formula_cells += u64::from(is_formula(cell));
            let text = self.escaping.apply(cell);
            self.csv.write_field(text.as_bytes()).map_err(inner_error)?;
        }
        self.csv.write_record(None::<&[u8]>).map_err(inner_error)
    }

    /// Number of [formula cells](is_formula) written so far, guarded or not.
    pub const fn formula_cells(&self) -> u64 {
        self.formula_cells
    }

    /// Writes what is buffered and returns the output.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn finish(self) -> io::Result<W> {
        self.csv
            .into_inner()
            .map_err(csv::IntoInnerError::into_error)
    }
}

/// Whether a spreadsheet would run the cell as a formula: it begins with `=`, `+`, `-` or `@` (also in full
/// width or after blanks), or with a tab or a line end, and is not a finite number such as `-1.5`.
#[must_use]
pub fn is_formula(cell: &str) -> bool {
    const SIGNS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
    let looks_like_one =
        cell.starts_with(['\t', '\r', '\n']) || cell.trim_start().starts_with(SIGNS);
    looks_like_one && !cell.parse::<f64>().is_ok_and(f64::is_finite)
}
