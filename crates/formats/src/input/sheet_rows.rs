//! The rows of a sheet of a workbook (.xlsx).

use std::{
    borrow::Cow,
    io::{Cursor, Read},
    panic::{AssertUnwindSafe, catch_unwind},
};

use calamine::{DataRef, ExcelDateTime, Reader as _, SheetType, SheetVisible, Xlsx, XlsxError};
use csv::StringRecord;

use super::{
    BoxedRead, CsvRecord, MAX_ROW_BYTES,
    workbook_limits::{MAX_WORKBOOK_BYTES, check_workbook, megabytes, too_large},
};
use crate::{
    error::FatalReadError,
    input_options::{InputDescription, LineCount},
};

/// The most bytes of a sheet's cells in memory.
const MAX_SHEET_BYTES: usize = 128 << 20;
/// The memory of a cell beside its text.
const CELL_BYTES: usize = 8;
/// The memory of a row beside its cells.
const ROW_BYTES: usize = 96;

/// The rows of a sheet that are not empty, the header first; all are in memory.
pub(crate) struct SheetRows {
    rows: std::vec::IntoIter<CsvRecord>,
    /// The number of cells of the first row, and thus of the others.
    width: usize,
    count: LineCount,
}

impl SheetRows {
    /// The next row, filled up with empty cells.
    pub(super) fn next_record(&mut self) -> Option<CsvRecord> {
        let mut record = self.rows.next()?;
        while record.cells.len() < self.width {
            record.cells.push_field("");
        }
        Some(record)
    }

    /// The number of rows, the header included.
    pub(super) fn count(&self) -> LineCount {
        self.count.clone()
    }
}

/// Reads a sheet: the one of this name, else the first that is visible.
pub(super) fn read(
    input: BoxedRead<'_>,
    wanted: Option<&str>,
    description: &mut InputDescription,
) -> Result<SheetRows, FatalReadError> {
    let mut bytes = Vec::new();
    input.take(MAX_WORKBOOK_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_WORKBOOK_BYTES {
        return Err(too_large(
            "the workbook is larger",
            megabytes(MAX_WORKBOOK_BYTES),
        ));
    }
    // What is broken on purpose may make a reader of another crate panic.
    let read = catch_unwind(AssertUnwindSafe(|| -> Result<_, FatalReadError> {
        check_workbook(&bytes)?;
        let mut workbook = Xlsx::new(Cursor::new(&bytes[..])).map_err(damaged)?;
        let (sheet, sheets) = choose_sheet(&workbook, wanted)?;
        let rows = read_sheet(&mut workbook, &sheet)?;
        Ok((sheet, sheets, rows))
    }));
    let read = read.unwrap_or_else(|_| {
        let reason = "its parts contradict each other".to_owned();
        Err(FatalReadError::DamagedWorkbook(reason))
    });
    let (sheet, sheets, rows) = read?;
    description.sheet = Some(sheet);
    description.sheets = sheets;
    let count = LineCount::default();
    count.set(rows.len() as u64);
    Ok(SheetRows {
        width: rows.first().map_or(0, |header| header.cells.len()),
        rows: rows.into_iter(),
        count,
    })
}

/// The name of the sheet to read, and those of all sheets.
fn choose_sheet<R: Read + std::io::Seek>(
    workbook: &Xlsx<R>,
    wanted: Option<&str>,
) -> Result<(String, Vec<String>), FatalReadError> {
    let tables = workbook.sheets_metadata().iter();
    let tables: Vec<_> = tables.filter(|s| s.typ == SheetType::WorkSheet).collect();
    let names: Vec<_> = tables.iter().map(|sheet| sheet.name.clone()).collect();
    let chosen = match wanted {
        Some(wanted) => tables.iter().find(|sheet| sheet.name == wanted),
        None => {
            let is_visible = |sheet: &&&calamine::Sheet| sheet.visible == SheetVisible::Visible;
            tables.iter().find(is_visible).or(tables.first())
        }
    };
    match (chosen, wanted) {
        (Some(sheet), _) => Ok((sheet.name.clone(), names)),
        (None, Some(wanted)) => Err(FatalReadError::NoSheet {
            wanted: wanted.to_owned(),
            found: names.join(", "),
        }),
        (None, None) => Err(FatalReadError::DamagedWorkbook("it has no sheet".into())),
    }
}

fn read_sheet<R: Read + std::io::Seek>(
    workbook: &mut Xlsx<R>,
    sheet: &str,
) -> Result<Vec<CsvRecord>, FatalReadError> {
    let mut cells = workbook.worksheet_cells_reader(sheet).map_err(damaged)?;
    let mut builder = SheetBuilder::default();
    while let Some(cell) = cells.next_cell().map_err(damaged)? {
        let text = cell_text(cell.get_value());
        if !text.is_empty() {
            let (row, column) = cell.get_position();
            builder.add(u64::from(row) + 1, column as usize, &text)?;
        }
    }
    Ok(builder.rows)
}

/// Puts cells, which come row by row, into rows of bounded size.
#[derive(Default)]
struct SheetBuilder {
    rows: Vec<CsvRecord>,
    /// The memory that the rows take.
    bytes: usize,
    /// The bytes of the last row.
    row_bytes: usize,
}

impl SheetBuilder {
    fn add(&mut self, line: u64, column: usize, text: &str) -> Result<(), FatalReadError> {
        if self.rows.last().is_none_or(|row| row.line != line) {
            if self.rows.last().is_some_and(|row| row.line > line) {
                return Err(out_of_order());
            }
            self.rows.push(CsvRecord {
                line,
                cells: StringRecord::new(),
                in_sheet: true,
            });
            self.bytes += ROW_BYTES;
            self.row_bytes = 0;
        }
        let is_header = self.rows.len() == 1;
        let width = self.rows[0].cells.len();
        let cells = &mut self.rows.last_mut().expect("there is one").cells;
        // Of cells beyond the header it is enough to know that there is one.
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

/// The text of a cell as a table of text would have it.
fn cell_text<'a>(value: &'a DataRef<'_>) -> Cow<'a, str> {
    match value {
        DataRef::Int(number) => number.to_string().into(),
        DataRef::Float(number) => number_text(*number).into(),
        DataRef::String(text) => unescape(text),
        DataRef::SharedString(text) => unescape(text),
        DataRef::Bool(value) => value.to_string().into(),
        DataRef::DateTime(time) => time_text(time).into(),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.into(),
        DataRef::Error(error) => error.to_string().into(),
        DataRef::Empty => "".into(),
    }
}

/// The text without the escaped carriage returns that a workbook keeps of other systems' line breaks.
fn unescape(text: &str) -> Cow<'_, str> {
    const CARRIAGE_RETURN: &str = "_x000D_";
    match text.contains(CARRIAGE_RETURN) {
        true => text.replace(CARRIAGE_RETURN, "").into(),
        false => text.into(),
    }
}

/// The number with the fifteen digits that spreadsheet programs show: 0.3, not 0.30000000000000004.
fn number_text(number: f64) -> String {
    let rounded = format!("{number:.14e}").parse::<f64>();
    rounded.unwrap_or(number).to_string()
}

fn time_text(time: &ExcelDateTime) -> String {
    if !time.is_datetime() {
        return number_text(time.as_f64());
    }
    let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    match (hour, minute, second) {
        (0, 0, 0) => date,
        _ => format!("{date} {hour:02}:{minute:02}:{second:02}"),
    }
}

fn out_of_order() -> FatalReadError {
    FatalReadError::DamagedWorkbook("its cells are out of order".to_owned())
}

fn damaged(error: XlsxError) -> FatalReadError {
    match error {
        XlsxError::Password => FatalReadError::OfficeFile("a workbook with a password"),
        error => FatalReadError::DamagedWorkbook(error.to_string()),
    }
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

    #[test]
    fn numbers_are_written_as_people_see_them() {
        for (number, expected) in [
            (87.0, "87"),
            (0.1 + 0.2, "0.3"),
            (-1.5, "-1.5"),
            (4.1e-7, "0.00000041"),
        ] {
            assert_eq!(number_text(number), expected);
        }
        assert_eq!(unescape("one_x000D_\ntwo"), "one\ntwo");
    }
}
