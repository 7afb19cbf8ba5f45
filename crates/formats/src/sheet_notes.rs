//! Remarks on the sheet of a workbook.

use std::fmt;

/// The advice about a formula without a stored value.
pub(crate) const CALCULATE: &str =
    "open the workbook in a spreadsheet program, which calculates it, save it and try again";

/// A remark on how the sheet of a workbook was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SheetNote {
    /// The sheet was found among several.
    Chosen {
        /// Its name.
        sheet: String,
        /// The names of those that were not read, with commas between them.
        others: String,
    },
    /// Formulas without a stored value, as programs that do not calculate write them.
    Unstored {
        /// Their number.
        count: u64,
        /// The first.
        first: SheetCell,
    },
    /// Whole numbers of a column that all end in zeros where spreadsheet programs keep no digits.
    CutNumbers {
        /// The first.
        first: SheetCell,
        /// The number in it.
        number: String,
    },
}

/// A cell of a sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetCell {
    /// The row, from 1.
    pub line: u64,
    /// The column's name in the header; empty where it has none.
    pub column: String,
}

impl fmt::Display for SheetNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chosen { sheet, others } => write!(
                f,
                "Read from the sheet “{sheet}”; other sheets of the workbook were not read: {others}."
            ),
            Self::Unstored { count: 1, first } => write!(
                f,
                "A formula has no stored value and counts as missing, in {first}: {CALCULATE}."
            ),
            Self::Unstored { count, first } => write!(
                f,
                "{count} formulas have no stored value and count as missing, the first in {first}: {CALCULATE}."
            ),
            Self::CutNumbers { first, number } => write!(
                f,
                "Long numbers may have lost digits, the first in {first} ({number}): spreadsheet programs keep 15 \
                 digits and write zeros for the others. If these are names, format the column as text and enter \
                 them again."
            ),
        }
    }
}

impl fmt::Display for SheetCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}", self.line)?;
        match &self.column[..] {
            "" => Ok(()),
            column => write!(f, ", column “{column}”"),
        }
    }
}
