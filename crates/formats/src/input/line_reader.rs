//! Lines of bounded length.

use std::io::{BufRead, BufReader};

use super::{BoxedRead, Utf8Reader};
use crate::error::FatalReadError;

/// The lines of a text, without their ends (LF or CRLF).
pub(crate) struct LineReader<'r> {
    input: BufReader<Utf8Reader<BoxedRead<'r>>>,
    line: u64,
}

impl<'r> LineReader<'r> {
    pub(crate) fn new(input: Utf8Reader<BoxedRead<'r>>) -> Self {
        Self {
            input: BufReader::new(input),
            line: 0,
        }
    }

    /// The next line with its number, from 1; `None` at the end. A line end at the end of the file does not
    /// begin another line.
    pub(crate) fn read_line(&mut self) -> Result<Option<(u64, String)>, FatalReadError> {
        self.line += 1;
        self.input.get_mut().begin_row();
        let mut text = String::new();
        let read = self
            .input
            .read_line(&mut text)
            .map_err(FatalReadError::from);
        let count = read.map_err(|fault| match fault {
            FatalReadError::RowTooLong { .. } => FatalReadError::RowTooLong { line: self.line },
            other => other,
        })?;

        let end = text
            .strip_suffix('\n')
            .map(|t| t.strip_suffix('\r').unwrap_or(t));
        if let Some(length) = end.map(str::len) {
            text.truncate(length);
        }
        Ok((count > 0).then_some((self.line, text)))
    }
}
