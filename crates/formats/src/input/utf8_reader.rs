//! Bytes that are checked to be UTF-8, in rows of bounded length.

use std::io::{self, Read};

use memchr::memchr_iter;

use super::MAX_ROW_BYTES;
use crate::{
    error::FatalReadError,
    input_options::{ColumnSeparator, LineCount},
};

/// The number of bytes at the beginning that are examined to recognise the content.
pub(super) const HEAD_BYTES: u64 = 8 << 10;

/// Passes bytes on without a byte-order mark. Fails at the first that is not UTF-8, and in a row longer than
/// [`MAX_ROW_BYTES`]. The failure is a [`FatalReadError`] inside an [`io::Error`].
pub(crate) struct Utf8Reader<R> {
    rest: R,
    head: Vec<u8>,
    /// How much of `head` was passed on.
    head_served: usize,
    /// The bytes passed on last, and the place in the stream where they begin.
    chunk: Vec<u8>,
    chunk_at: u64,
    /// The beginning of a character that the next bytes should complete.
    partial: Vec<u8>,
    newlines: u64,
    mark: u64,
    left_in_row: usize,
    ended: bool,
    lines: LineCount,
}

/// The kind of content that the first bytes show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContentKind {
    /// One JSON object a line.
    Objects,
    /// A JSON array.
    Array,
    /// Anything else, with the most frequent separator of its first line.
    Cells(ColumnSeparator),
}

impl<R: Read> Utf8Reader<R> {
    /// Examines the first bytes. `Err` for an empty file.
    pub(crate) fn open(mut input: R) -> Result<Self, FatalReadError> {
        let mut head = Vec::new();
        input.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;

        let mark = if head.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        head.drain(..mark);
        if head.trim_ascii().is_empty() && head.len() < HEAD_BYTES as usize - mark {
            return Err(FatalReadError::Empty);
        }

        Ok(Self {
            rest: input,
            head,
            head_served: 0,
            chunk: Vec::new(),
            chunk_at: 0,
            partial: Vec::new(),
            newlines: 0,
            mark: mark as u64,
            left_in_row: MAX_ROW_BYTES,
            ended: false,
            lines: LineCount::default(),
        })
    }

    pub(crate) fn content_kind(&self) -> ContentKind {
        let line = self.head.trim_ascii_start();
        let line = line.split(|byte| *byte == b'\n').next().unwrap_or(line);
        match line.first() {
            Some(b'{') => ContentKind::Objects,
            Some(b'[') => ContentKind::Array,
            _ => ContentKind::Cells(ColumnSeparator::most_frequent(line)),
        }
    }

    /// The number of lines so far.
    pub(crate) fn lines(&self) -> LineCount {
        self.lines.clone()
    }

    /// Allows the next row its full length.
    pub(crate) fn begin_row(&mut self) {
        self.left_in_row = MAX_ROW_BYTES;
    }

    /// The byte at `place` of the stream (after the byte-order mark), if it was among those passed
    /// on last.
    pub(crate) fn byte_at(&self, place: u64) -> Option<u8> {
        let index = place.checked_sub(self.chunk_at)?;
        self.chunk.get(usize::try_from(index).ok()?).copied()
    }

    /// Once the file has ended, the last byte passed on before trailing white space.
    pub(crate) fn ended_with(&self) -> Option<u8> {
        let end = self.chunk.trim_ascii_end().last().copied();
        self.ended.then_some(end.unwrap_or(b'\n'))
    }

    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.head_served < self.head.len() {
            let count = (&self.head[self.head_served..]).read(buffer)?;
            self.head_served += count;
            return Ok(count);
        }
        loop {
            match self.rest.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }

    /// Fails where `bytes`, which follow the earlier ones, are not UTF-8.
    fn check(&mut self, bytes: &[u8], at: u64) -> Result<(), FatalReadError> {
        let fault = |newlines: u64, byte: u64| FatalReadError::NotUtf8 {
            line: newlines + 1,
            byte: byte + self.mark,
        };

        let mut completed = 0;
        while !self.partial.is_empty() {
            let Some(byte) = bytes.get(completed) else {
                return Ok(());
            };
            self.partial.push(*byte);
            completed += 1;
            match std::str::from_utf8(&self.partial) {
                Ok(_) => self.partial.clear(),
                Err(error) if error.error_len().is_none() => {}
                Err(_) => {
                    let start = at + completed as u64 - self.partial.len() as u64;
                    return Err(fault(self.newlines, start));
                }
            }
        }

        let (rest, at) = (&bytes[completed..], at + completed as u64);
        let (valid, broken) = match std::str::from_utf8(rest) {
            Ok(_) => (rest.len(), false),
            Err(error) => (error.valid_up_to(), error.error_len().is_some()),
        };

        let newlines = newlines(&rest[..valid]);
        if broken {
            return Err(fault(self.newlines + newlines, at + valid as u64));
        }
        self.partial.extend_from_slice(&rest[valid..]);
        self.newlines += newlines;
        Ok(())
    }
}

impl<R: Read> Read for Utf8Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = buffer.len().min(self.left_in_row);
        if room == 0 && !buffer.is_empty() {
            let line = self.newlines + 1;
            return Err(io::Error::other(FatalReadError::RowTooLong { line }));
        }

        let count = self.fill(&mut buffer[..room])?;
        let at = self.chunk_at + self.chunk.len() as u64;
        if count == 0 {
            self.ended = true;
            if self.partial.is_empty() {
                return Ok(0);
            }
            let byte = at + self.mark - self.partial.len() as u64;
            let line = self.newlines + 1;
            return Err(io::Error::other(FatalReadError::NotUtf8 { line, byte }));
        }

        self.left_in_row -= count;
        self.check(&buffer[..count], at).map_err(io::Error::other)?;
        self.chunk_at = at;
        self.chunk.clear();
        self.chunk.extend_from_slice(&buffer[..count]);

        let open_line = buffer[..count].last().is_some_and(|byte| *byte != b'\n');
        self.lines.set(self.newlines + u64::from(open_line));
        Ok(count)
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}
