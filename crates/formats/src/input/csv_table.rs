//! Records of a CSV file (RFC 4180), each with the line that it begins on.

use std::{collections::VecDeque, sync::Arc};

use csv::StringRecord;
use memchr::{memchr, memchr_iter};

use super::{BoxedRead, Utf8Reader, sheet_rows::SheetRows, tab_records::TabRecords};
use crate::{
    error::{BadRow, FatalReadError, HeaderAdvice, clip},
    input_options::ColumnSeparator,
    sheet_notes::CALCULATE,
};

/// A table after its header: CSV, or the sheet of a workbook.
pub(crate) struct CsvTable<'r> {
    records: RecordSource<'r>,
    header: CsvHeader,
    buffered: VecDeque<Result<CsvRecord, FatalReadError>>,
    /// The record that was read last, whose memory the next one takes over.
    current: CsvRecord,
}

enum RecordSource<'r> {
    Csv(Box<csv::Reader<Utf8Reader<BoxedRead<'r>>>>),
    Tabs(TabRecords<'r>),
    Sheet(SheetRows),
}

/// The names of the columns, without spaces around them.
#[derive(Debug, Clone)]
pub(crate) struct CsvHeader(Vec<Arc<str>>);

/// The number of bytes read at a time.
const READ_BYTES: usize = 64 << 10;

/// A record of cells and the line on which it begins.
#[derive(Debug, Clone, Default)]
pub(crate) struct CsvRecord {
    pub(crate) line: u64,
    pub(crate) cells: StringRecord,
    /// Whether it is the row of a sheet, which has no separators.
    pub(crate) in_sheet: bool,
    /// The places of empty cells whose formula lacks a stored value.
    pub(crate) unstored: Vec<usize>,
}

impl<'r> CsvTable<'r> {
    pub(crate) fn from_csv(
        input: Utf8Reader<BoxedRead<'r>>,
        separator: ColumnSeparator,
    ) -> Result<Self, FatalReadError> {
        if separator == ColumnSeparator::Tab {
            return Self::open(RecordSource::Tabs(TabRecords::new(input)));
        }
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(separator.byte())
            .buffer_capacity(READ_BYTES)
            .from_reader(input);
        Self::open(RecordSource::Csv(Box::new(reader)))
    }

    pub(crate) fn from_sheet(rows: SheetRows) -> Result<Self, FatalReadError> {
        Self::open(RecordSource::Sheet(rows))
    }

    fn open(records: RecordSource<'r>) -> Result<Self, FatalReadError> {
        let mut table = Self {
            records,
            header: CsvHeader(Vec::new()),
            buffered: VecDeque::new(),
            current: CsvRecord::default(),
        };

        let first = table.read_record()?.ok_or(FatalReadError::Empty)?;
        if is_separator_line(&first.cells) {
            table.read_record()?.ok_or(FatalReadError::NoRows)?;
        }

        let CsvRecord {
            line,
            cells,
            unstored,
            ..
        } = &table.current;
        if !unstored.is_empty() {
            let reason = format!("the header has a formula without a stored value: {CALCULATE}");
            return Err(FatalReadError::Row(BadRow::new(*line, None, reason)));
        }
        if cells.as_slice().contains('\0') {
            return Err(FatalReadError::NotText("a binary file"));
        }

        table.header = CsvHeader::new(cells);
        Ok(table)
    }

    pub(crate) const fn header(&self) -> &CsvHeader {
        &self.header
    }

    /// The next record that is not blank; `None` at the end.
    pub(crate) fn read_record(&mut self) -> Result<Option<&CsvRecord>, FatalReadError> {
        let has_record = match self.buffered.pop_front() {
            Some(result) => {
                self.current = result?;
                true
            }
            None => self
                .records
                .read_filled(&mut self.current, self.header.0.len())?,
        };
        Ok(has_record.then_some(&self.current))
    }

    /// Up to `count` of the next records, which are read as usual afterwards. A fault among them is returned
    /// when its turn comes.
    pub(crate) fn peek_records(&mut self, count: usize) -> impl Iterator<Item = &CsvRecord> {
        while self.buffered.len() < count && self.buffered.back().is_none_or(Result::is_ok) {
            let mut record = CsvRecord::default();
            match self.records.read_filled(&mut record, self.header.0.len()) {
                Ok(false) => break,
                read => self.buffered.push_back(read.map(|_| record)),
            }
        }
        self.buffered.iter().flatten()
    }
}

impl RecordSource<'_> {
    /// Reads the next record with anything in its cells, without empty cells to the right of a header of `width`
    /// columns; `false` at the end. Spreadsheet programs write such rows and cells where an empty part of a sheet is
    /// formatted.
    fn read_filled(
        &mut self,
        record: &mut CsvRecord,
        width: usize,
    ) -> Result<bool, FatalReadError> {
        while self.read_into(record)? {
            if record.cells.as_slice().trim_start().is_empty() && record.unstored.is_empty() {
                continue;
            }
            if width > 0 && record.cells.iter().skip(width).all(str::is_empty) {
                record.cells.truncate(width);
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Reads the next record; `false` at the end.
    fn read_into(&mut self, record: &mut CsvRecord) -> Result<bool, FatalReadError> {
        match self {
            Self::Csv(csv) => read_csv_record(csv, record),
            Self::Tabs(table) => table.read_into(record),
            Self::Sheet(rows) => {
                let next = rows.next_record();
                let has_record = next.is_some();
                *record = next.unwrap_or_default();
                Ok(has_record)
            }
        }
    }
}

/// Whether the cells are those of a first line `sep=;`, which tells spreadsheet programs the separator.
pub(super) fn is_separator_line(cells: &StringRecord) -> bool {
    let first = cells.get(0).unwrap_or_default().to_ascii_lowercase();
    let Some(separator) = first.strip_prefix("sep=") else {
        return false;
    };
    separator.chars().count() + cells.len() == 2 && cells.iter().skip(1).all(str::is_empty)
}

fn read_csv_record(
    csv: &mut csv::Reader<Utf8Reader<BoxedRead<'_>>>,
    record: &mut CsvRecord,
) -> Result<bool, FatalReadError> {
    let first_line = csv.position().line() + u64::from(last_byte(csv) == Some(b'\r'));
    csv.get_mut().begin_row();

    let CsvRecord { line, cells, .. } = record;
    let read = csv.read_record(cells).map_err(FatalReadError::from);
    let has_record = read.map_err(|fault| match fault {
        FatalReadError::RowTooLong { .. } => FatalReadError::RowTooLong { line: first_line },
        other => other,
    })?;
    if !has_record {
        return Ok(false);
    }

    *line = line_of(csv, cells);
    let last = cells.iter().next_back().unwrap_or_default();
    if last.contains('\n') && csv.get_ref().ended_with().is_some_and(|b| b != b'"') {
        return Err(FatalReadError::UnclosedQuote { line: *line });
    }
    Ok(true)
}

/// The line on which the record that was just read begins, from 1.
///
/// The reader counts lines up to the record's end, and the line feed of a CRLF with the next record.
fn line_of(csv: &csv::Reader<Utf8Reader<BoxedRead<'_>>>, cells: &StringRecord) -> u64 {
    let inner_breaks = memchr_iter(b'\n', cells.as_slice().as_bytes()).count() as u64;
    let own_break =
        u64::from(last_byte(csv) == Some(b'\n') && csv.get_ref().ended_with().is_none());
    csv.position()
        .line()
        .saturating_sub(inner_breaks + own_break)
        .max(1)
}

fn last_byte(csv: &csv::Reader<Utf8Reader<BoxedRead<'_>>>) -> Option<u8> {
    let place = csv.position().byte().checked_sub(1)?;
    csv.get_ref().byte_at(place)
}

impl CsvHeader {
    pub(crate) fn new(cells: &StringRecord) -> Self {
        Self(cells.iter().map(|name| Arc::from(name.trim())).collect())
    }

    pub(crate) fn names(&self) -> &[Arc<str>] {
        &self.0
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|column| **column == *name)
    }

    /// The place of a column. `Err` where two columns have that name.
    pub(crate) fn find_column(&self, name: &str) -> Result<Option<usize>, FatalReadError> {
        let mut places = (0..self.0.len()).filter(|place| *self.0[*place] == *name);
        let first = places.next();
        match places.next() {
            Some(_) => {
                let expected = format!("one column “{}”", clip(name));
                Err(self.wrong_header(&expected, "rename one of the two"))
            }
            None => Ok(first),
        }
    }

    /// The place of a required column; `expected` describes the whole header.
    pub(crate) fn require_column(
        &self,
        name: &str,
        expected: &str,
    ) -> Result<usize, FatalReadError> {
        let advice = || HeaderAdvice::AddColumn(name.to_owned());
        self.find_column(name)?
            .ok_or_else(|| self.wrong_header(expected, advice()))
    }

    pub(crate) fn wrong_header(
        &self,
        expected: &str,
        advice: impl Into<HeaderAdvice>,
    ) -> FatalReadError {
        FatalReadError::WrongHeader {
            expected: expected.to_owned(),
            found: clip(&self.0.join(",")),
            advice: advice.into(),
        }
    }

    /// Refuses a record with more or fewer cells than the header, and NUL characters.
    pub(crate) fn check_record(&self, record: &CsvRecord) -> Result<(), BadRow> {
        let CsvRecord {
            line,
            cells,
            in_sheet,
            ..
        } = record;
        let (count, expected) = (cells.len(), self.0.len());
        if count != expected {
            let reason = if *in_sheet {
                "has a cell to the right of the header: name its column, or empty it".to_owned()
            } else {
                format!(
                    "has {count} cells, the header {expected}: add or remove commas, or close a quotation mark"
                )
            };
            return Err(BadRow::new(*line, None, reason));
        }

        // All cells in one search, since most records have none.
        if memchr(0, cells.as_slice().as_bytes()).is_none() {
            return Ok(());
        }

        let place = cells.iter().position(|cell| cell.contains('\0'));
        let column = place.map(|place| &*self.0[place]);
        Err(BadRow::new(*line, column, NUL))
    }
}

impl CsvRecord {
    /// Refuses a formula without a stored value in a column for which `is_used` holds: its value is unknown.
    pub(crate) fn check_formulas(
        &self,
        header: &CsvHeader,
        is_used: impl Fn(usize) -> bool,
    ) -> Result<(), BadRow> {
        let mut unstored = self.unstored.iter();
        let Some(place) = unstored.find(|place| is_used(**place)) else {
            return Ok(());
        };
        let column = header.names().get(*place);
        let reason = format!("is a formula without a stored value: {CALCULATE}");
        Err(BadRow::new(self.line, column.map(|name| &**name), reason))
    }
}

/// The reason for refusing a text with NUL, which not every database can store.
pub(crate) const NUL: &str = "holds a NUL character: remove it";
