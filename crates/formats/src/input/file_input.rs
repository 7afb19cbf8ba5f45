//! The bytes of a file, with what the user states about them.

use std::io::{Cursor, Read};

use super::{
    BoxedRead, CsvHeader, DecodedContent, DecodedInput, OpenedInput,
    decoder::{DecodingReader, looks_like_utf16},
    gzip::{GzipReader, MAX_UNPACKED_BYTES},
    sheet_rows,
    utf8_reader::HEAD_BYTES,
};
use crate::{
    error::FatalReadError,
    input_options::{InputDescription, InputOptions, TextEncoding},
};

/// The bytes of a file. They may be compressed by gzip, a workbook (.xlsx), or a text in one of the
/// encodings of [`TextEncoding`]. The bytes show which, unless the options state it.
///
/// Anything that can be read converts into one without options.
pub struct FileInput<'r> {
    reader: BoxedRead<'r>,
    options: InputOptions,
}

impl<'r, R: Read + Send + 'r> From<R> for FileInput<'r> {
    fn from(reader: R) -> Self {
        Self::new(reader, InputOptions::default())
    }
}

impl<'r> FileInput<'r> {
    /// Bytes to be read as the options say.
    pub fn new(reader: impl Read + Send + 'r, options: InputOptions) -> Self {
        Self {
            reader: Box::new(reader),
            options,
        }
    }

    /// Opens a text or a sheet, and examines its first bytes.
    pub(crate) fn open(self) -> Result<OpenedInput<'r>, FatalReadError> {
        self.open_fitting(|_| true)
    }

    /// As [`Self::open`]. If no sheet of a workbook is stated, it opens the first whose header `fits`.
    pub(crate) fn open_fitting(
        self,
        fits: impl Fn(&CsvHeader) -> bool,
    ) -> Result<OpenedInput<'r>, FatalReadError> {
        self.decode(fits)?.open()
    }

    /// Unpacks and decodes a text: its bytes in UTF-8, unchecked, without a byte-order mark.
    ///
    /// # Errors
    /// [`FatalReadError`] for a file that is not text, or whose first bytes cannot be read.
    pub fn into_text(self) -> Result<Box<dyn Read + Send + 'r>, FatalReadError> {
        let DecodedContent::Text(mut text) = self.decode(|_| true)?.content else {
            return Err(FatalReadError::NotText(
                "a workbook, where lines of text are needed",
            ));
        };

        let mut start = Vec::new();
        text.by_ref().take(3).read_to_end(&mut start)?;
        if start == b"\xef\xbb\xbf" {
            start.clear();
        }
        Ok(Box::new(Cursor::new(start).chain(text)))
    }

    /// Unpacks and decodes the bytes. A text is passed on as UTF-8, unchecked.
    pub(crate) fn decode(
        self,
        fits: impl Fn(&CsvHeader) -> bool,
    ) -> Result<DecodedInput<'r>, FatalReadError> {
        let Self { reader, options } = self;
        let (mut head, mut reader) = read_head(reader)?;
        let compressed = head.starts_with(b"\x1f\x8b");
        if compressed {
            let unpacked = Box::new(GzipReader::new(reader, MAX_UNPACKED_BYTES));
            (head, reader) = read_head(unpacked)?;
        }

        let mut description = InputDescription {
            compressed,
            ..InputDescription::default()
        };
        if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
            let rows = sheet_rows::read(reader, options.sheet.as_deref(), &fits, &mut description)?;
            return Ok(DecodedInput::from_sheet(rows, description));
        }

        let utf16 = is_utf16(&head);
        let encoding = match options.encoding {
            Some(encoding) => encoding,
            None if utf16 => TextEncoding::Utf16,
            None => TextEncoding::Utf8,
        };
        if !utf16 && let Some(fault) = detect_binary(&head) {
            return Err(fault);
        }

        description.encoding = encoding;
        description.byte_order_mark = match encoding {
            TextEncoding::Utf8 => head.starts_with(b"\xef\xbb\xbf"),
            TextEncoding::Utf16 => head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff"),
            TextEncoding::Windows1252 => false,
        };

        let text: BoxedRead<'r> = match encoding {
            TextEncoding::Utf8 => reader,
            _ => Box::new(DecodingReader::new(reader, encoding, &head)),
        };
        Ok(DecodedInput::from_text(
            text,
            options.separator,
            description,
        ))
    }
}

/// The first bytes, and a reader of all bytes.
fn read_head(mut reader: BoxedRead<'_>) -> Result<(Vec<u8>, BoxedRead<'_>), FatalReadError> {
    let mut head = Vec::new();
    reader.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
    let whole = Cursor::new(head.clone()).chain(reader);
    Ok((head, Box::new(whole)))
}

fn is_utf16(head: &[u8]) -> bool {
    head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") || looks_like_utf16(head)
}

/// The fault of a file that is not text, judged by its first bytes.
fn detect_binary(head: &[u8]) -> Option<FatalReadError> {
    use FatalReadError::{NotText, OfficeFile};

    if head.starts_with(b"\xd0\xcf\x11\xe0") {
        return Some(OfficeFile("an older office file, or one with a password"));
    }

    let kinds: [(&[u8], &str); 10] = [
        (b"%PDF", "a PDF"),
        (b"\x89PNG", "a picture (PNG)"),
        (b"\xff\xd8\xff", "a picture (JPEG)"),
        (b"GIF8", "a picture (GIF)"),
        (b"BZh", "an archive (bzip2)"),
        (b"\xfd7zXZ", "an archive (xz)"),
        (b"7z\xbc\xaf", "an archive (7z)"),
        (b"Rar!", "an archive (rar)"),
        (b"\x28\xb5\x2f\xfd", "an archive (zstd)"),
        (b"SQLite format 3", "a database"),
    ];
    if let Some((_, kind)) = kinds.iter().find(|(start, _)| head.starts_with(start)) {
        return Some(NotText(kind));
    }

    // Texts in single-byte encodings have no such characters; UTF-8 is checked row by row.
    let is_control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t'..=b'\r' | 0x1a | 0x1b);
    let is_utf8 = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    (!is_utf8 && head.iter().any(is_control)).then_some(NotText("a binary file"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input_options::ColumnSeparator;

    fn text_of(bytes: &[u8], options: InputOptions) -> Result<(String, InputDescription), String> {
        let decode = || {
            let input = FileInput::new(bytes, options);
            let opened = input.open()?;
            let description = opened.description.clone();
            let mut lines = opened.into_lines()?;
            let mut all = String::new();
            while let Some((_, line)) = lines.read_line()? {
                all += &line;
                all.push('\n');
            }
            Ok::<_, FatalReadError>((all, description))
        };
        decode().map_err(|fault| fault.to_string())
    }

    #[test]
    fn the_encoding_is_found_or_stated() {
        let utf16: Vec<u8> = "\u{feff}source;output\nGrüße;Gruß\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let (text, found) = text_of(&utf16, InputOptions::default()).unwrap();
        assert_eq!(text, "source;output\nGrüße;Gruß\n");
        assert_eq!(found.encoding, TextEncoding::Utf16);
        assert_eq!(found.separator, Some(ColumnSeparator::Semicolon));
        assert!(found.byte_order_mark && !found.compressed);

        let latin = b"source\nGr\xfc\xdfe\n";
        let fault = text_of(latin, InputOptions::default()).unwrap_err();
        assert!(fault.starts_with("line 2 is not UTF-8"), "{fault}");
        let stated = InputOptions {
            encoding: Some(TextEncoding::Windows1252),
            ..InputOptions::default()
        };
        assert_eq!(text_of(latin, stated).unwrap().0, "source\nGrüße\n");
    }

    #[test]
    fn what_is_no_text_is_named() {
        for (bytes, expected) in [
            (
                &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..],
                "this is a picture (PNG), not a table",
            ),
            (b"%PDF-1.7\n", "this is a PDF, not a table"),
            (
                b"\x7fELF\x02\x01\x01\0\xff\xfe\x80",
                "this is a binary file, not a table",
            ),
            (b"\xd0\xcf\x11\xe0\xa1\xb1", "this is an older office file"),
        ] {
            let fault = text_of(bytes, InputOptions::default()).unwrap_err();
            assert!(fault.starts_with(expected), "{fault}");
        }
    }
}
