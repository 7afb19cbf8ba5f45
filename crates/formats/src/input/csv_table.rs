//! Records of a CSV file (RFC 4180), each with the line that it begins on.

use std::{collections::VecDeque, io::Read, sync::Arc};

use csv::StringRecord;

use super::{ContentKind, Utf8Reader};
use crate::error::{BadRow, FatalReadError, clip};

/// A CSV file whose header was read.
pub(crate) struct CsvTable<R> {
    csv: csv::Reader<Utf8Reader<R>>,
    header: CsvHeader,
    buffered: VecDeque<Result<CsvRecord, FatalReadError>>,
}

/// The names of the columns, without spaces around them.
#[derive(Debug, Clone)]
pub(crate) struct CsvHeader(Vec<Arc<str>>);

/// A record of cells and the line on which it begins.
#[derive(Debug, Clone)]
pub(crate) struct CsvRecord {
    pub(crate) line: u64,
    pub(crate) cells: StringRecord,
}

impl<R: Read> CsvTable<R> {
    pub(crate) fn open(input: Utf8Reader<R>) -> Result<Self, FatalReadError> {
        let delimiter = match input.content_kind() {
            ContentKind::Cells(delimiter) => delimiter,
            ContentKind::Objects | ContentKind::Array => b',',
        };
        let mut table = Self {
            csv: csv::ReaderBuilder::new()
                .has_headers(false)
                .flexible(true)
                .delimiter(delimiter)
                .from_reader(input),
            header: CsvHeader(Vec::new()),
            buffered: VecDeque::new(),
        };
        let CsvRecord { cells, .. } = table.read_record()?.ok_or(FatalReadError::Empty)?;
        if cells.as_slice().contains('\0') {
            return Err(FatalReadError::NotText(
                "binary, or UTF-16 without a byte-order mark",
            ));
        }
        table.header = CsvHeader(cells.iter().map(|name| Arc::from(name.trim())).collect());
        Ok(table)
    }

    pub(crate) const fn header(&self) -> &CsvHeader {
        &self.header
    }

    /// The next record; `None` at the end.
    pub(crate) fn read_record(&mut self) -> Result<Option<CsvRecord>, FatalReadError> {
        match self.buffered.pop_front() {
            Some(result) => result.map(Some),
            None => self.read_unbuffered(),
        }
    }

    /// Up to `count` of the records to come, which stay to be read. A fault waits its turn.
    pub(crate) fn peek_records(&mut self, count: usize) -> impl Iterator<Item = &CsvRecord> {
        while self.buffered.len() < count && self.buffered.back().is_none_or(Result::is_ok) {
            match self.read_unbuffered() {
                Ok(None) => break,
                result => self.buffered.extend(result.transpose()),
            }
        }
        self.buffered.iter().flatten()
    }

    fn read_unbuffered(&mut self) -> Result<Option<CsvRecord>, FatalReadError> {
        let begun = self.csv.position().line() + u64::from(self.last_byte() == Some(b'\r'));
        self.csv.get_mut().begin_row();
        let mut cells = StringRecord::new();
        let read = self
            .csv
            .read_record(&mut cells)
            .map_err(FatalReadError::from);
        let some = read.map_err(|fault| match fault {
            FatalReadError::RowTooLong { .. } => FatalReadError::RowTooLong { line: begun },
            other => other,
        })?;
        if !some {
            return Ok(None);
        }
        let line = self.line_of(&cells);
        let last = cells.iter().next_back().unwrap_or_default();
        if last.contains('\n') && self.csv.get_ref().ended_with().is_some_and(|b| b != b'"') {
            return Err(FatalReadError::UnclosedQuote { line });
        }
        Ok(Some(CsvRecord { line, cells }))
    }

    /// The line on which the record that was just read begins, from 1.
    ///
    /// The reader's own count is that of the record's end, and the line feed of a CRLF is counted
    /// with the record after it.
    fn line_of(&self, cells: &StringRecord) -> u64 {
        let within = cells.as_slice().bytes().filter(|b| *b == b'\n').count() as u64;
        let end =
            u64::from(self.last_byte() == Some(b'\n') && self.csv.get_ref().ended_with().is_none());
        self.csv
            .position()
            .line()
            .saturating_sub(within + end)
            .max(1)
    }

    fn last_byte(&self) -> Option<u8> {
        let place = self.csv.position().byte().checked_sub(1)?;
        self.csv.get_ref().byte_at(place)
    }
}

impl CsvHeader {
    pub(crate) fn names(&self) -> &[Arc<str>] {
        &self.0
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|column| **column == *name)
    }

    /// The place of a column. `Err` where two columns have the name.
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

    pub(crate) fn wrong_header(&self, expected: &str, advice: &str) -> FatalReadError {
        FatalReadError::WrongHeader {
            expected: expected.to_owned(),
            found: clip(&self.0.join(",")),
            advice: advice.to_owned(),
        }
    }

    /// Refuses a record that has not one cell a column, or a NUL character.
    pub(crate) fn check_record(&self, record: &CsvRecord) -> Result<(), BadRow> {
        let CsvRecord { line, cells } = record;
        let (found, expected) = (cells.len(), self.0.len());
        if found != expected {
            let reason = format!(
                "has {found} cells, the header {expected}: add or remove commas, or close a quotation mark"
            );
            return Err(BadRow::new(*line, None, reason));
        }
        match cells.iter().position(|cell| cell.contains('\0')) {
            Some(place) => Err(BadRow::new(*line, Some(&self.0[place]), NUL)),
            None => Ok(()),
        }
    }
}

/// Why a text with a NUL is refused: not every database can hold it.
pub(crate) const NUL: &str = "holds a NUL character: remove it";
