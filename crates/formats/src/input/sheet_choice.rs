//! The choice of the sheet of a workbook that is read.

use std::io::{Read, Seek};

use calamine::{Reader as _, Sheet, SheetType, SheetVisible, Xlsx};

use super::{CsvHeader, sheet_builder::SheetBuilder, sheet_cells::cell_text};
use crate::error::FatalReadError;

/// The most cells that are examined before one of several sheets is chosen.
const MAX_CELLS: usize = 1_000_000;

/// The name of a sheet to read, and those of all sheets.
pub(super) struct SheetChoice {
    pub(super) sheet: String,
    pub(super) sheets: Vec<String>,
}

/// The beginning of a sheet.
struct SheetHead {
    header: CsvHeader,
    /// Whether a row follows the header.
    has_rows: bool,
}

/// Chooses the sheet of this name. Without a name it is the first visible sheet with rows under a header that `fits`,
/// else the first with rows under several columns, else the first with rows, else the first.
pub(super) fn choose_sheet<R: Read + Seek>(
    workbook: &mut Xlsx<R>,
    wanted: Option<&str>,
    fits: &dyn Fn(&CsvHeader) -> bool,
) -> Result<SheetChoice, FatalReadError> {
    let tables = workbook.sheets_metadata().iter();
    let tables: Vec<_> = tables.filter(|s| s.typ == SheetType::WorkSheet).collect();
    let sheets: Vec<_> = tables.iter().map(|sheet| sheet.name.clone()).collect();

    if let Some(wanted) = wanted {
        return match sheets.iter().any(|name| name == wanted) {
            true => Ok(SheetChoice {
                sheet: wanted.to_owned(),
                sheets,
            }),
            false => Err(FatalReadError::NoSheet {
                wanted: wanted.to_owned(),
                found: sheets.join(", "),
            }),
        };
    }

    let is_visible = |sheet: &&&Sheet| sheet.visible == SheetVisible::Visible;
    let visible = tables.iter().filter(is_visible);
    let mut candidates: Vec<_> = visible.map(|sheet| sheet.name.clone()).collect();
    if candidates.is_empty() {
        candidates.clone_from(&sheets);
    }

    let Some(first) = candidates.first().cloned() else {
        return Err(FatalReadError::DamagedWorkbook("it has no sheet".into()));
    };
    let sheet = match candidates.len() {
        1 => first,
        _ => find_table(workbook, candidates, fits).unwrap_or(first),
    };
    Ok(SheetChoice { sheet, sheets })
}

/// The first sheet with rows under a header that fits, else under several columns, else the first with rows.
fn find_table<R: Read + Seek>(
    workbook: &mut Xlsx<R>,
    candidates: Vec<String>,
    fits: &dyn Fn(&CsvHeader) -> bool,
) -> Option<String> {
    let (mut with_columns, mut with_rows) = (None, None);
    let mut cells_left = MAX_CELLS;

    for name in candidates {
        // If a sheet that cannot be read is chosen, its reader reports the fault.
        let head = read_head(workbook, &name, &mut cells_left).ok().flatten();
        let Some(head) = head.filter(|head| head.has_rows) else {
            continue;
        };
        if fits(&head.header) {
            return Some(name);
        }

        let names = head.header.names().iter();
        if names.filter(|name| !name.is_empty()).count() > 1 {
            with_columns.get_or_insert_with(|| name.clone());
        }
        with_rows.get_or_insert(name);
    }
    with_columns.or(with_rows)
}

/// Reads a sheet up to its second row; `None` if it has no cells.
fn read_head<R: Read + Seek>(
    workbook: &mut Xlsx<R>,
    sheet: &str,
    cells_left: &mut usize,
) -> Result<Option<SheetHead>, FatalReadError> {
    let unreadable =
        |error: calamine::XlsxError| FatalReadError::DamagedWorkbook(error.to_string());
    let mut cells = workbook.worksheet_cells_reader(sheet).map_err(unreadable)?;
    let mut builder = SheetBuilder::default();

    while builder.rows.len() < 2 && *cells_left > 0 {
        *cells_left -= 1;
        let Some(cell) = cells.next_cell().map_err(unreadable)? else {
            break;
        };
        let text = cell_text(cell.get_value());
        if !text.is_empty() {
            let (row, column) = cell.get_position();
            builder.add(u64::from(row) + 1, column as usize, &text)?;
        }
    }

    let header = builder.rows.first();
    Ok(header.map(|header| SheetHead {
        header: CsvHeader::new(&header.cells),
        has_rows: builder.rows.len() > 1,
    }))
}
