//! A file that is ready to be read as lines or as a table.

use super::{BoxedRead, ContentKind, CsvTable, LineReader, Utf8Reader, sheet_rows::SheetRows};
use crate::{
    error::FatalReadError,
    input_options::{ColumnSeparator, InputDescription, LineCount},
};

/// A file whose bytes are unpacked and decoded.
pub(crate) struct DecodedInput<'r> {
    pub(crate) content: DecodedContent<'r>,
    separator: Option<ColumnSeparator>,
    description: InputDescription,
}

/// The contents of a file.
pub(crate) enum DecodedContent<'r> {
    /// A text that may turn out not to be UTF-8.
    Text(BoxedRead<'r>),
    Sheet(SheetRows),
}

/// A file whose first bytes have been examined.
pub(crate) struct OpenedInput<'r> {
    content: OpenedContent<'r>,
    separator: Option<ColumnSeparator>,
    pub(crate) description: InputDescription,
    pub(crate) lines: LineCount,
}

enum OpenedContent<'r> {
    Text(Utf8Reader<BoxedRead<'r>>),
    Sheet(SheetRows),
}

impl<'r> DecodedInput<'r> {
    pub(super) const fn from_sheet(rows: SheetRows, description: InputDescription) -> Self {
        Self {
            content: DecodedContent::Sheet(rows),
            separator: None,
            description,
        }
    }

    pub(super) const fn from_text(
        text: BoxedRead<'r>,
        separator: Option<ColumnSeparator>,
        description: InputDescription,
    ) -> Self {
        Self {
            content: DecodedContent::Text(text),
            separator,
            description,
        }
    }

    /// Examines the first bytes. `Err` for an empty text.
    pub(crate) fn open(self) -> Result<OpenedInput<'r>, FatalReadError> {
        let mut description = self.description;
        let (content, lines) = match self.content {
            DecodedContent::Text(text) => {
                let text = Utf8Reader::open(text)?;
                if let ContentKind::Cells(found) = text.content_kind() {
                    description.separator = Some(self.separator.unwrap_or(found));
                }
                let lines = text.lines();
                (OpenedContent::Text(text), lines)
            }
            DecodedContent::Sheet(rows) => {
                let lines = rows.count();
                (OpenedContent::Sheet(rows), lines)
            }
        };

        Ok(OpenedInput {
            content,
            separator: self.separator,
            description,
            lines,
        })
    }
}

impl<'r> OpenedInput<'r> {
    /// The kind of content that the first bytes show.
    pub(crate) fn content_kind(&self) -> ContentKind {
        match &self.content {
            OpenedContent::Text(text) => text.content_kind(),
            OpenedContent::Sheet(_) => ContentKind::Cells(ColumnSeparator::Comma),
        }
    }

    /// Reads it line by line. `Err` for a sheet.
    pub(crate) fn into_lines(self) -> Result<LineReader<'r>, FatalReadError> {
        match self.content {
            OpenedContent::Text(text) => Ok(LineReader::new(text)),
            OpenedContent::Sheet(_) => Err(FatalReadError::NotText(
                "a workbook, where lines of text are needed",
            )),
        }
    }

    /// Reads it as a table. `Err` where it has no header.
    pub(crate) fn into_table(self) -> Result<CsvTable<'r>, FatalReadError> {
        match self.content {
            OpenedContent::Text(text) => {
                let found = match text.content_kind() {
                    ContentKind::Cells(found) => found,
                    ContentKind::Objects | ContentKind::Array => ColumnSeparator::Comma,
                };
                CsvTable::from_csv(text, self.separator.unwrap_or(found))
            }
            OpenedContent::Sheet(rows) => CsvTable::from_sheet(rows),
        }
    }
}
