//! The rows of a sheet of a workbook (.xlsx).

use std::{
    collections::BTreeMap,
    io::{Cursor, Read, Seek},
    panic::{AssertUnwindSafe, catch_unwind},
};

use calamine::{DataRef, Reader as _, Xlsx, XlsxError};

use super::{
    BoxedRead, CsvHeader, CsvRecord,
    long_numbers::{FIRST_INEXACT, LongNumbers},
    sheet_builder::SheetBuilder,
    sheet_cells::cell_text,
    sheet_choice::{SheetChoice, choose_sheet},
    workbook_limits::{MAX_WORKBOOK_BYTES, check_workbook, megabytes, too_large},
};
use crate::{
    error::{BadRow, FatalReadError, clip},
    input_options::{InputDescription, LineCount},
    sheet_notes::{SheetCell, SheetNote},
};

/// The rows of a sheet that are not empty, the header first; all are in memory.
pub(crate) struct SheetRows {
    rows: std::vec::IntoIter<CsvRecord>,
    /// The number of cells of the header, and thus of each row.
    width: usize,
    count: LineCount,
}

impl SheetRows {
    /// The next row, padded with empty cells.
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

/// Reads a sheet: the one of this name, else the first whose header `fits`.
pub(super) fn read(
    input: BoxedRead<'_>,
    wanted: Option<&str>,
    fits: &dyn Fn(&CsvHeader) -> bool,
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

    // A file broken on purpose may make another crate's reader panic.
    let read = catch_unwind(AssertUnwindSafe(|| -> Result<_, FatalReadError> {
        let long_numbers = check_workbook(&bytes)?;
        let mut workbook = Xlsx::new(Cursor::new(&bytes[..])).map_err(damaged)?;
        let choice = choose_sheet(&mut workbook, wanted, fits)?;
        let contents = read_sheet(&mut workbook, &choice.sheet, &long_numbers)?;
        Ok((choice, contents))
    }));
    let read = read.unwrap_or_else(|_| {
        let reason = "its parts contradict each other".to_owned();
        Err(FatalReadError::DamagedWorkbook(reason))
    });
    let (SheetChoice { sheet, sheets }, contents) = read?;

    let others = sheets.iter().filter(|name| **name != sheet);
    let others: Vec<&str> = others.map(String::as_str).collect();
    if wanted.is_none() && !others.is_empty() {
        description.sheet_notes.push(SheetNote::Chosen {
            sheet: clip(&sheet),
            others: clip(&others.join(", ")),
        });
    }

    description.sheet = Some(sheet);
    description.sheets = sheets;
    description.sheet_notes.extend(contents.notes());

    let rows = contents.rows;
    let count = LineCount::default();
    count.set(rows.len() as u64);
    Ok(SheetRows {
        width: rows.first().map_or(0, |header| header.cells.len()),
        rows: rows.into_iter(),
        count,
    })
}

/// The rows of a sheet, and its doubtful cells.
struct SheetContents {
    rows: Vec<CsvRecord>,
    /// The number of formulas without a stored value, and the first of them.
    unstored: Option<(u64, SheetCell)>,
    /// By column, the first number with more digits than spreadsheet programs keep; `None` if another number of the
    /// column shows that no digit was lost.
    cut_numbers: BTreeMap<usize, Option<(SheetCell, String)>>,
}

impl SheetContents {
    fn notes(&self) -> Vec<SheetNote> {
        let unstored = self.unstored.clone();
        let unstored = unstored.map(|(count, first)| SheetNote::Unstored { count, first });
        let cut = self.cut_numbers.values().flatten();
        let cut = cut.map(|(first, number)| SheetNote::CutNumbers {
            first: first.clone(),
            number: number.clone(),
        });
        unstored.into_iter().chain(cut).collect()
    }

    /// Names a cell by its column, if the header names that.
    fn cell(builder: &SheetBuilder, line: u64, column: usize) -> SheetCell {
        let header = builder.rows.first();
        let name = header.and_then(|header| header.cells.get(column));
        SheetCell {
            line,
            column: clip(name.unwrap_or_default().trim()),
        }
    }
}

fn read_sheet<R: Read + Seek>(
    workbook: &mut Xlsx<R>,
    sheet: &str,
    long_numbers: &LongNumbers,
) -> Result<SheetContents, FatalReadError> {
    let mut cells = workbook.worksheet_cells_reader(sheet).map_err(damaged)?;
    let mut builder = SheetBuilder::default();
    let mut unstored: Option<(u64, SheetCell)> = None;
    let mut cut_numbers = BTreeMap::new();

    while let Some(cell) = cells.next_cell_with_formula_metadata().map_err(damaged)? {
        let (line, column) = (u64::from(cell.pos.0) + 1, cell.pos.1 as usize);
        if cell.value == DataRef::Empty && cell.formula.is_some() {
            builder.add_unstored(line, column)?;
            let first = || (0, SheetContents::cell(&builder, line, column));
            unstored.get_or_insert_with(first).0 += 1;
            continue;
        }

        let text = match cell.value {
            DataRef::Float(number) if number >= FIRST_INEXACT => {
                whole_number(number, long_numbers, cell.pos)?.into()
            }
            ref value => cell_text(value),
        };
        if text.is_empty() {
            continue;
        }

        builder.add(line, column, &text)?;
        if let DataRef::Float(number) = cell.value
            && number.abs() >= FIRST_CUT
        {
            let first = || {
                (
                    SheetContents::cell(&builder, line, column),
                    text.to_string(),
                )
            };
            let of_column = cut_numbers.entry(column).or_insert_with(|| Some(first()));
            if !is_cut(&text) {
                *of_column = None;
            }
        }
    }

    Ok(SheetContents {
        rows: builder.rows,
        unstored,
        cut_numbers,
    })
}

/// From here on, spreadsheet programs write zeros for some digits.
const FIRST_CUT: f64 = 1e15;
/// The digits that spreadsheet programs keep.
const KEPT_DIGITS: usize = 15;
/// The most digits of a number that may be a name.
const NAME_DIGITS: usize = 25;

/// Whether a spreadsheet program may have replaced digits of a whole number with zeros.
fn is_cut(number: &str) -> bool {
    let digits = number.trim_start_matches('-');
    let rest = digits.get(KEPT_DIGITS..).unwrap_or_default();
    digits.len() <= NAME_DIGITS && !rest.is_empty() && rest.bytes().all(|digit| digit == b'0')
}

/// The digits of a cell's whole number, as the file has them.
fn whole_number(
    number: f64,
    long_numbers: &LongNumbers,
    (row, column): (u32, u32),
) -> Result<String, FatalReadError> {
    let mut written = long_numbers.digits((row, column), number);
    let first = written.next();
    if written.next().is_some() {
        let reason = "holds a number that cannot be told from one in the same cell of another sheet, as both have more \
            than 15 digits: format such cells as text, write the numbers again and save the workbook";
        let bad = BadRow::new(u64::from(row) + 1, None, reason);
        return Err(FatalReadError::Row(bad));
    }
    Ok(first.map_or_else(|| number.to_string(), |digits| digits.to_string()))
}

fn damaged(error: XlsxError) -> FatalReadError {
    match error {
        XlsxError::Password => FatalReadError::OfficeFile("a workbook with a password"),
        error => FatalReadError::DamagedWorkbook(error.to_string()),
    }
}
