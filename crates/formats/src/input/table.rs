//! Records of a CSV file (RFC 4180), each with the line that it begins on.

use std::{collections::VecDeque, io::Read, sync::Arc};

use csv::StringRecord;

use super::{Guarded, Look};
use crate::fault::{BadRow, Fatal, clip};

/// A CSV file whose header was read.
pub(crate) struct Table<R> {
    csv: csv::Reader<Guarded<R>>,
    header: Header,
    ahead: VecDeque<Result<Record, Fatal>>,
}

/// The names of the columns, without spaces around them.
#[derive(Debug, Clone)]
pub(crate) struct Header(Vec<Arc<str>>);

/// A record of cells and the line on which it begins.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) line: u64,
    pub(crate) cells: StringRecord,
}

impl<R: Read> Table<R> {
    pub(crate) fn open(input: Guarded<R>) -> Result<Self, Fatal> {
        let delimiter = match input.look() {
            Look::Cells(delimiter) => delimiter,
            Look::Objects | Look::Array => b',',
        };
        let mut table = Self {
            csv: csv::ReaderBuilder::new()
                .has_headers(false)
                .flexible(true)
                .delimiter(delimiter)
                .from_reader(input),
            header: Header(Vec::new()),
            ahead: VecDeque::new(),
        };
        let Record { cells, .. } = table.read()?.ok_or(Fatal::Empty)?;
        if cells.as_slice().contains('\0') {
            return Err(Fatal::NotText(
                "binary, or UTF-16 without a byte-order mark",
            ));
        }
        table.header = Header(cells.iter().map(|name| Arc::from(name.trim())).collect());
        Ok(table)
    }

    pub(crate) const fn header(&self) -> &Header {
        &self.header
    }

    /// The next record; `None` at the end.
    pub(crate) fn read(&mut self) -> Result<Option<Record>, Fatal> {
        match self.ahead.pop_front() {
            Some(result) => result.map(Some),
            None => self.read_fresh(),
        }
    }

    /// Up to `count` of the records to come, which stay to be read. A fault waits its turn.
    pub(crate) fn look_ahead(&mut self, count: usize) -> impl Iterator<Item = &Record> {
        while self.ahead.len() < count && self.ahead.back().is_none_or(Result::is_ok) {
            match self.read_fresh() {
                Ok(None) => break,
                result => self.ahead.extend(result.transpose()),
            }
        }
        self.ahead.iter().flatten()
    }

    fn read_fresh(&mut self) -> Result<Option<Record>, Fatal> {
        let begun = self.csv.position().line() + u64::from(self.last_byte() == Some(b'\r'));
        self.csv.get_mut().begin_row();
        let mut cells = StringRecord::new();
        let read = self.csv.read_record(&mut cells).map_err(Fatal::from);
        let some = read.map_err(|fault| match fault {
            Fatal::TooLong { .. } => Fatal::TooLong { line: begun },
            other => other,
        })?;
        if !some {
            return Ok(None);
        }
        let line = self.line_of(&cells);
        let last = cells.iter().next_back().unwrap_or_default();
        if last.contains('\n') && self.csv.get_ref().ended_with().is_some_and(|b| b != b'"') {
            return Err(Fatal::UnclosedQuote { line });
        }
        Ok(Some(Record { line, cells }))
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

impl Header {
    pub(crate) fn names(&self) -> &[Arc<str>] {
        &self.0
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|column| **column == *name)
    }

    /// The place of a column. `Err` where two columns have the name.
    pub(crate) fn find(&self, name: &str) -> Result<Option<usize>, Fatal> {
        let mut places = (0..self.0.len()).filter(|place| *self.0[*place] == *name);
        let first = places.next();
        match places.next() {
            Some(_) => {
                let expected = format!("one column “{}”", clip(name));
                Err(self.wrong(&expected, "rename one of the two"))
            }
            None => Ok(first),
        }
    }

    pub(crate) fn wrong(&self, expected: &str, advice: &str) -> Fatal {
        Fatal::WrongHeader {
            expected: expected.to_owned(),
            found: clip(&self.0.join(",")),
            advice: advice.to_owned(),
        }
    }

    /// Refuses a record that has not one cell a column, or a NUL character.
    pub(crate) fn check(&self, record: &Record) -> Result<(), BadRow> {
        let Record { line, cells } = record;
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
