//! Lines of bounded length.

use std::io::{self, BufRead, Read as _};

/// The outcome of reading a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InputLine {
    /// The input has ended.
    End,
    /// The line is in the buffer, without its line break.
    Whole,
    /// The line is longer than allowed; it was read to its end and dropped.
    TooLong,
}

/// Reads the next line of at most `max_bytes` into `line`.
pub(super) fn read_line(
    input: &mut impl BufRead,
    line: &mut Vec<u8>,
    max_bytes: usize,
) -> io::Result<InputLine> {
    line.clear();
    let limit = max_bytes as u64 + 1;
    input.by_ref().take(limit).read_until(b'\n', line)?;

    if line.is_empty() {
        return Ok(InputLine::End);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
        return Ok(InputLine::Whole);
    }
    if line.len() <= max_bytes {
        return Ok(InputLine::Whole);
    }

    line.clear();
    line.shrink_to_fit();
    input.skip_until(b'\n')?;
    Ok(InputLine::TooLong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_up_to_the_limit_are_whole() {
        let mut input: &[u8] = b"abc\n\nabcd\nabcdef\nend";
        let mut line = Vec::new();
        let mut next = || {
            let outcome = read_line(&mut input, &mut line, 4).expect("a slice can be read");
            (outcome, String::from_utf8_lossy(&line).into_owned())
        };
        let whole = |text: &str| (InputLine::Whole, text.to_owned());

        assert_eq!(next(), whole("abc"));
        assert_eq!(next(), whole(""));
        assert_eq!(next(), whole("abcd"));
        assert_eq!(next(), (InputLine::TooLong, String::new()));
        assert_eq!(next(), whole("end"));
        assert_eq!(next(), (InputLine::End, String::new()));
    }
}
