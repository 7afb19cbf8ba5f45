//! Lines of bounded length.

use std::io::{BufRead, BufReader, Read};

use super::Guarded;
use crate::fault::Fatal;

/// The lines of a text, without their ends (LF or CRLF).
pub(crate) struct Lines<R> {
    input: BufReader<Guarded<R>>,
    line: u64,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(input: Guarded<R>) -> Self {
        Self {
            input: BufReader::new(input),
            line: 0,
        }
    }

    /// The next line with its number, from 1; `None` at the end. A line end that ends the file
    /// begins no further line.
    pub(crate) fn read(&mut self) -> Result<Option<(u64, String)>, Fatal> {
        self.line += 1;
        self.input.get_mut().begin_row();
        let mut text = String::new();
        let read = self.input.read_line(&mut text).map_err(Fatal::from);
        let count = read.map_err(|fault| match fault {
            Fatal::TooLong { .. } => Fatal::TooLong { line: self.line },
            other => other,
        })?;
        let end = text
            .strip_suffix('\n')
            .map(|t| t.strip_suffix('\r').unwrap_or(t));
        if let Some(kept) = end.map(str::len) {
            text.truncate(kept);
        }
        Ok((count > 0).then_some((self.line, text)))
    }
}
