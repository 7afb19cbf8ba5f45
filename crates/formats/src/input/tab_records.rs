//! Records of a table whose cells are separated by tabs.
//!
//! Many programs write such tables without quoting anything, so a quotation mark is a letter of its cell unless
//! another one closes the cell that it opens. A cell that continues after a tab or a line end, as programs that quote
//! write it, is read as one cell if that makes a row of the table and its lines by themselves do not.

use std::{
    borrow::Cow,
    collections::VecDeque,
    io::{BufRead as _, BufReader},
};

use memchr::memchr;

use super::{BoxedRead, CsvRecord, MAX_ROW_BYTES, Utf8Reader, csv_table::is_separator_line};
use crate::error::FatalReadError;

/// The records of a table, in the order of the file.
pub(super) struct TabRecords<'r> {
    input: BufReader<Utf8Reader<BoxedRead<'r>>>,
    /// The number of the line that was read last.
    line: u64,
    /// Lines that were read but not used yet, since a quoted cell may continue in them.
    ahead: VecDeque<TabLine>,
    /// The number of cells in the header.
    width: Option<usize>,
}

/// A line with its number and its end.
struct TabLine {
    number: u64,
    text: String,
    end: &'static str,
}

/// A record with a quoted cell that contains a tab or a line end.
struct QuotedRecord {
    cells: Vec<String>,
    /// The number of lines that it takes after its first one.
    further_lines: usize,
}

/// The end of a cell that begins with a quotation mark.
enum QuotedEnd {
    /// At the quotation mark in this place, which a tab or nothing follows.
    At(usize),
    /// Nowhere: a quotation mark is in a place where none may be, so the first one is a letter as well.
    Never,
    /// Not in this text.
    Later,
}

impl<'r> TabRecords<'r> {
    pub(super) fn new(input: Utf8Reader<BoxedRead<'r>>) -> Self {
        Self {
            input: BufReader::new(input),
            line: 0,
            ahead: VecDeque::new(),
            width: None,
        }
    }

    /// Reads the next record, empty lines left out; `false` at the end.
    pub(super) fn read_into(&mut self, record: &mut CsvRecord) -> Result<bool, FatalReadError> {
        let Some(line) = self.next_filled_line()? else {
            return Ok(false);
        };
        let (cells, has_open_quote) = split_cells(&line.text);
        let quoted = match has_open_quote {
            true => self.quoted_record(&line, cells.len())?,
            false => None,
        };

        record.line = line.number;
        record.cells.clear();
        match quoted {
            None => cells.iter().for_each(|cell| record.cells.push_field(cell)),
            Some(QuotedRecord {
                cells,
                further_lines,
            }) => {
                self.ahead.drain(..further_lines);
                cells.iter().for_each(|cell| record.cells.push_field(cell));
            }
        }
        if !is_separator_line(&record.cells) {
            self.width.get_or_insert(record.cells.len());
        }
        Ok(true)
    }

    fn next_filled_line(&mut self) -> Result<Option<TabLine>, FatalReadError> {
        loop {
            if self.ahead.is_empty() && !self.read_ahead()? {
                return Ok(None);
            }
            let line = self.ahead.pop_front();
            if line.as_ref().is_some_and(|line| !line.text.is_empty()) {
                return Ok(line);
            }
        }
    }

    /// Reads one more line; `false` at the end. A lone carriage return ends a line as well.
    fn read_ahead(&mut self) -> Result<bool, FatalReadError> {
        self.line += 1;
        self.input.get_mut().begin_row();
        let mut text = String::new();
        let read = self.input.read_line(&mut text);
        let count = read
            .map_err(FatalReadError::from)
            .map_err(|fault| match fault {
                FatalReadError::RowTooLong { .. } => FatalReadError::RowTooLong { line: self.line },
                other => other,
            })?;

        let end = ["\r\n", "\n"].into_iter().find(|end| text.ends_with(*end));
        let end = end.unwrap_or_default();
        let mut rest = &text[..text.len() - end.len()];
        let mut add = |text: &str, end| {
            self.ahead.push_back(TabLine {
                number: self.line,
                text: text.to_owned(),
                end,
            });
        };

        while let Some((line, after)) = rest.split_once('\r') {
            add(line, "\r");
            rest = after;
        }
        add(rest, end);
        Ok(count > 0)
    }

    /// The record that begins with this line if its quoted cells contain tabs or line ends; `None` if they do not,
    /// or if each of its lines has as many cells as the header. `cells` is the number of cells in its first line.
    fn quoted_record(
        &mut self,
        first: &TabLine,
        cells: usize,
    ) -> Result<Option<QuotedRecord>, FatalReadError> {
        let mut record = QuotedRecord {
            cells: Vec::new(),
            further_lines: 0,
        };

        let (mut text, mut line_end) = (first.text.clone(), first.end);
        // The cell begins at `start`; up to `searched` it has no end.
        let (mut start, mut searched) = (0, 0);
        loop {
            let end = match text[start..].strip_prefix('"') {
                None => {
                    let end = text[start..].find('\t').map_or(text.len(), |at| start + at);
                    record.cells.push(text[start..end].to_owned());
                    end
                }
                Some(_) => match find_end(&text, searched.max(start + 1)) {
                    QuotedEnd::At(end) => {
                        record
                            .cells
                            .push(unescape(&text[start + 1..end]).into_owned());
                        end + 1
                    }
                    QuotedEnd::Never => return Ok(None),
                    QuotedEnd::Later => {
                        let Some(next) = self.line_ahead(record.further_lines)? else {
                            return Ok(None);
                        };
                        searched = text.len();
                        text += line_end;
                        text += &next.text;
                        line_end = next.end;
                        record.further_lines += 1;
                        if text.len() > MAX_ROW_BYTES {
                            return Ok(None);
                        }
                        continue;
                    }
                },
            };

            if end == text.len() {
                break;
            }
            start = end + 1;
        }

        let width = self.width.unwrap_or(record.cells.len());
        let fits = |line: &TabLine| line.text.is_empty() || line.text.split('\t').count() == width;
        let mut further = self.ahead.iter().take(record.further_lines);
        let lines_are_rows = cells == width && further.all(fits);
        Ok((record.cells.len() == width && !lines_are_rows).then_some(record))
    }

    /// The line in this place among those that follow; `None` if the file has no more.
    fn line_ahead(&mut self, place: usize) -> Result<Option<&TabLine>, FatalReadError> {
        while self.ahead.len() <= place {
            if !self.read_ahead()? {
                return Ok(None);
            }
        }
        Ok(self.ahead.get(place))
    }
}

/// The cells of a line, and whether one of them begins with a quotation mark that may be closed after its tab.
fn split_cells(line: &str) -> (Vec<Cow<'_, str>>, bool) {
    let mut has_open_quote = false;
    let cells = line.split('\t').map(|cell| {
        if !cell.starts_with('"') {
            return cell.into();
        }
        match find_end(cell, 1) {
            QuotedEnd::At(end) => unescape(&cell[1..end]),
            QuotedEnd::Never => cell.into(),
            QuotedEnd::Later => {
                has_open_quote = true;
                cell.into()
            }
        }
    });

    let cells = cells.collect();
    (cells, has_open_quote)
}

/// Looks for the end of a quoted cell from a place within it.
fn find_end(text: &str, from: usize) -> QuotedEnd {
    let bytes = text.as_bytes();
    let mut from = from;
    while let Some(found) = memchr(b'"', &bytes[from..]) {
        let place = from + found;
        match bytes.get(place + 1) {
            Some(b'"') => from = place + 2,
            None | Some(b'\t') => return QuotedEnd::At(place),
            Some(_) => return QuotedEnd::Never,
        }
    }
    QuotedEnd::Later
}

/// The text of a quoted cell, in which each quotation mark is written twice.
fn unescape(quoted: &str) -> Cow<'_, str> {
    match quoted.contains('"') {
        true => quoted.replace("\"\"", "\"").into(),
        false => quoted.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cells of each record, with the line that it begins on.
    fn records(file: &str) -> Vec<(u64, Vec<String>)> {
        let input = Utf8Reader::open(Box::new(file.as_bytes()) as BoxedRead<'_>);
        let mut table = TabRecords::new(input.expect("text"));
        let mut record = CsvRecord::default();
        let mut records = Vec::new();
        while table.read_into(&mut record).expect("UTF-8") {
            let cells = record.cells.iter().map(str::to_owned).collect();
            records.push((record.line, cells));
        }
        records
    }

    fn check(rows: &str, expected: &[(u64, &[&str])]) {
        let read = records(&format!("a\tb\tc\n{rows}"));
        let expected: Vec<_> = expected
            .iter()
            .map(|(line, cells)| (*line, cells.iter().map(ToString::to_string).collect()))
            .collect();
        assert_eq!(read[1..], expected, "{rows}");
    }

    #[test]
    fn a_quotation_mark_that_its_cell_does_not_close_is_a_letter() {
        check(
            "1\t\"It sank.\tx\n2\tIt rose.\ty\n3\t\"It fell.\tz\n",
            &[
                (2, &["1", "\"It sank.", "x"]),
                (3, &["2", "It rose.", "y"]),
                (4, &["3", "\"It fell.", "z"]),
            ],
        );
        // Sentences of one speech, each in a row of its own.
        check(
            "1\t\"It sank.\tx\n2\tIt rose.\"\ty\n",
            &[
                (2, &["1", "\"It sank.", "x"]),
                (3, &["2", "It rose.\"", "y"]),
            ],
        );
        check(
            "1\t\"No\" he said.\tx\n",
            &[(2, &["1", "\"No\" he said.", "x"])],
        );
        check("1\t\"\tx\n", &[(2, &["1", "\"", "x"])]);
    }

    #[test]
    fn quoted_cells_are_read_as_programs_write_them() {
        check(
            "1\t\"He said \"\"no\"\".\"\t\"\"\n",
            &[(2, &["1", "He said \"no\".", ""])],
        );
        check("\"a\tb\"\t2\t3\n", &[(2, &["a\tb", "2", "3"])]);
        check(
            "1\t\"one\r\n\r\ntwo\"\t3\r\n\r\n4\t5\t6",
            &[(2, &["1", "one\r\n\r\ntwo", "3"]), (6, &["4", "5", "6"])],
        );
        check(
            "1\t2\t\"one\ntwo\"\n4\t5\t6\n",
            &[(2, &["1", "2", "one\ntwo"]), (4, &["4", "5", "6"])],
        );
        // A last cell that nothing closes: its line is a row by itself.
        check(
            "1\t2\t\"one\ntwo\n",
            &[(2, &["1", "2", "\"one"]), (3, &["two"])],
        );
        check(
            "1\t2\t3\r4\t5\t6\r",
            &[(2, &["1", "2", "3"]), (2, &["4", "5", "6"])],
        );
    }
}
