//! Records of a CSV file (RFC 4180), each with the line that it begins on.

use std::{collections::VecDeque, io::Read, sync::Arc};

use csv::StringRecord;

use super::{ContentKind, Utf8Reader};
use crate::error::{BadRow, FatalReadError, clip};

/// A CSV file after its header.
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

    /// Up to `count` of the next records, which are then read as usual. A fault among them is returned
    /// when its turn comes.
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
        let first_line = self.csv.position().line() + u64::from(self.last_byte() == Some(b'\r'));
        self.csv.get_mut().begin_row();
        let mut cells = StringRecord::new();
        let read = self
            .csv
            .read_record(&mut cells)
            .map_err(FatalReadError::from);
        let has_record = read.map_err(|fault| match fault {
            FatalReadError::RowTooLong { .. } => FatalReadError::RowTooLong { line: first_line },
            other => other,
        })?;
        if !has_record {
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
        let inner_breaks = cells.as_slice().bytes().filter(|b| *b == b'\n').count() as u64;
        let own_break =
            u64::from(self.last_byte() == Some(b'\n') && self.csv.get_ref().ended_with().is_none());
        self.csv
            .position()
            .line()
            .saturating_sub(inner_breaks + own_break)
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

    /// The place of a column that must be there; `expected` describes the whole header.
    pub(crate) fn require_column(
        &self,
        name: &str,
        expected: &str,
    ) -> Result<usize, FatalReadError> {
        let advice =
            || format!("add the column “{name}”, or read the file as CSV and map its columns");
        self.find_column(name)?
            .ok_or_else(|| self.wrong_header(expected, &advice()))
    }

    pub(crate) fn wrong_header(&self, expected: &str, advice: &str) -> FatalReadError {
        FatalReadError::WrongHeader {
            expected: expected.to_owned(),
            found: clip(&self.0.join(",")),
            advice: advice.to_owned(),
        }
    }

    /// Refuses a record whose number of cells is not that of the columns, and NUL characters.
    pub(crate) fn check_record(&self, record: &CsvRecord) -> Result<(), BadRow> {
        let CsvRecord { line, cells } = record;
        let (count, expected) = (cells.len(), self.0.len());
        if count != expected {
            let reason = format!(
                "has {count} cells, the header {expected}: add or remove commas, or close a quotation mark"
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
