//! Rows of a sheet from its cells, with bounded memory.

use csv::StringRecord;

use super::{
    CsvRecord, MAX_ROW_BYTES,
    workbook_limits::{megabytes, too_large},
};
use crate::error::FatalReadError;

/// The most bytes of a sheet's cells in memory.
const MAX_SHEET_BYTES: usize = 128 << 20;
/// The memory of a cell in addition to its text.
const CELL_BYTES: usize = 8;
/// The memory of a row in addition to its cells.
const ROW_BYTES: usize = 96;

/// Collects cells, given row by row, into rows of bounded size.
#[derive(Default)]
pub(super) struct SheetBuilder {
    pub(super) rows: Vec<CsvRecord>,
    /// The memory that the rows take.
    bytes: usize,
    /// The bytes of the last row.
    row_bytes: usize,
}

impl SheetBuilder {
    /// Adds an empty cell whose formula lacks a stored value.
    pub(super) fn add_unstored(&mut self, line: u64, column: usize) -> Result<(), FatalReadError> {
        // To the right of the header, it belongs to no column.
        let header = self.rows.first().filter(|header| header.line != line);
        if header.is_some_and(|header| column >= header.cells.len()) {
            return Ok(());
        }

        self.add(line, column, "")?;
        let row = self.rows.last_mut().expect("the cell is in it");
        row.unstored.push(column);
        self.bytes += size_of::<usize>();
        Ok(())
    }

    pub(super) fn add(
        &mut self,
        line: u64,
        column: usize,
        text: &str,
    ) -> Result<(), FatalReadError> {
        if self.rows.last().is_none_or(|row| row.line != line) {
            if self.rows.last().is_some_and(|row| row.line > line) {
                return Err(out_of_order());
            }
            self.rows.push(CsvRecord {
                line,
                cells: StringRecord::new(),
                in_sheet: true,
                unstored: Vec::new(),
            });
            self.bytes += ROW_BYTES;
            self.row_bytes = 0;
        }

        let is_header = self.rows.len() == 1;
        let width = self.rows[0].cells.len();
        let cells = &mut self.rows.last_mut().expect("there is one").cells;
        // Beyond the header, one cell is enough to show that the row is too wide.
        let column = if is_header { column } else { column.min(width) };
        if column < cells.len() {
            return if column == width && !is_header {
                Ok(())
            } else {
                Err(out_of_order())
            };
        }

        let added = (column + 1 - cells.len()) * CELL_BYTES + text.len();
        self.bytes += added;
        self.row_bytes += added;
        if self.row_bytes > MAX_ROW_BYTES {
            return Err(FatalReadError::RowTooLong { line });
        }
        if self.bytes > MAX_SHEET_BYTES {
            return Err(too_large(
                "the sheet is larger",
                megabytes(MAX_SHEET_BYTES as u64),
            ));
        }

        while cells.len() < column {
            cells.push_field("");
        }
        cells.push_field(text);
        Ok(())
    }
}

fn out_of_order() -> FatalReadError {
    FatalReadError::DamagedWorkbook("its cells are out of order".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(cells: &[(u64, usize, &str)]) -> Result<Vec<CsvRecord>, String> {
        let mut builder = SheetBuilder::default();
        for (line, column, text) in cells {
            let added = builder.add(*line, *column, text);
            added.map_err(|fault| fault.to_string())?;
        }
        Ok(builder.rows)
    }

    #[test]
    fn rows_keep_their_numbers_and_gaps_are_empty_cells() {
        let rows = add(&[
            (2, 0, "a"),
            (2, 2, "c"),
            (5, 1, "x"),
            (6, 0, "y"),
            (6, 9, "z"),
            (6, 12, "!"),
        ]);
        let rows = rows.unwrap();
        let shown: Vec<_> = rows
            .iter()
            .map(|row| (row.line, row.cells.iter().collect::<Vec<_>>()))
            .collect();
        let expected = [
            (2, vec!["a", "", "c"]),
            (5, vec!["", "x"]),
            (6, vec!["y", "", "", "z"]),
        ];
        assert_eq!(shown, expected);
        for cells in [[(2, 0, "a"), (1, 0, "b")], [(2, 1, "a"), (2, 0, "b")]] {
            assert!(add(&cells).is_err());
        }
    }

    /// A cell far to the right, in every row, would take a thousand times the file's size.
    #[test]
    fn the_memory_of_a_sheet_is_bounded() {
        let wide = add(&[(1, 200_000, "a")]).unwrap_err();
        assert!(
            wide.starts_with("the row on line 1 is longer than"),
            "{wide}"
        );
        let text = "x".repeat(1 << 19);
        let mut builder = SheetBuilder::default();
        let mut fault = None;
        for line in 1..1_000 {
            if let Err(error) = builder.add(line, 0, &text) {
                fault = Some((line, error.to_string()));
                break;
            }
        }
        let (line, fault) = fault.expect("a limit");
        assert!((250..=256).contains(&line), "{line}");
        assert!(
            fault.starts_with("the sheet is larger than 128 MiB"),
            "{fault}"
        );
    }
}
