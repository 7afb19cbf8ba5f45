//! The encoding, separator and sheet of a file: stated by the user, or found in the file.

use std::{
    fmt,
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use serde::{Deserialize, Serialize};

use crate::sheet_notes::SheetNote;

/// The encoding of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TextEncoding {
    /// UTF-8, with or without a byte-order mark.
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// UTF-16. Its byte order follows from the byte-order mark, else from the places of NUL bytes.
    #[serde(rename = "utf-16")]
    Utf16,
    /// Windows-1252, in which spreadsheet programs for Western languages write CSV.
    #[serde(rename = "windows-1252")]
    Windows1252,
}

impl TextEncoding {
    /// All encodings.
    pub const ALL: [Self; 3] = [Self::Utf8, Self::Utf16, Self::Windows1252];

    /// The name on the command line and in addresses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Windows1252 => "windows-1252",
        }
    }
}

impl fmt::Display for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16 => "UTF-16",
            Self::Windows1252 => "Windows-1252",
        })
    }
}

impl FromStr for TextEncoding {
    type Err = UnknownInputOption;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|encoding| encoding.name().eq_ignore_ascii_case(name));
        found.ok_or(UnknownInputOption {
            what: "encoding",
            known: "utf-8, utf-16 or windows-1252",
        })
    }
}

/// The character between the cells of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnSeparator {
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// A tab.
    Tab,
}

impl ColumnSeparator {
    /// All separators.
    pub const ALL: [Self; 3] = [Self::Comma, Self::Semicolon, Self::Tab];

    /// The name on the command line and in addresses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Comma => "comma",
            Self::Semicolon => "semicolon",
            Self::Tab => "tab",
        }
    }

    pub(crate) const fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }

    /// The separator that is used most often in a line; a comma where there is none.
    pub(crate) fn most_frequent(line: &[u8]) -> Self {
        let count = |of: &Self| line.iter().filter(|byte| **byte == of.byte()).count();
        // For equal counts, `max_by_key` takes the last.
        let candidates = [Self::Tab, Self::Semicolon, Self::Comma];
        let most = candidates.into_iter().max_by_key(count);
        most.unwrap_or(Self::Comma)
    }
}

impl FromStr for ColumnSeparator {
    type Err = UnknownInputOption;

    /// Reads a name, or the character itself.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let is_it = |separator: &Self| {
            separator.name().eq_ignore_ascii_case(name) || [separator.byte()] == *name.as_bytes()
        };
        let found = Self::ALL.into_iter().find(is_it);
        found.ok_or(UnknownInputOption {
            what: "separator",
            known: "comma, semicolon or tab",
        })
    }
}

/// The fault of an unknown name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is not a known {what}: use {known}")]
pub struct UnknownInputOption {
    what: &'static str,
    known: &'static str,
}

/// The user's statements on how to read the bytes of a file. Anything else is detected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InputOptions {
    /// The encoding of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<TextEncoding>,
    /// The separator of a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub separator: Option<ColumnSeparator>,
    /// The sheet of a workbook, by name. If none is stated, it is the first with rows under the columns that the
    /// reader needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
}

impl InputOptions {
    /// Whether nothing is stated.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The way in which the bytes of a file were read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InputDescription {
    /// Whether it was compressed by gzip.
    pub compressed: bool,
    /// The encoding of a text.
    pub encoding: TextEncoding,
    /// Whether the text begins with a byte-order mark.
    pub byte_order_mark: bool,
    /// The separator, if the text may be a table.
    pub separator: Option<ColumnSeparator>,
    /// The sheet of a workbook that was read.
    pub sheet: Option<String>,
    /// All sheets of the workbook.
    pub sheets: Vec<String>,
    /// Remarks on the sheet.
    pub sheet_notes: Vec<SheetNote>,
}

/// The number of lines of a text, or rows of a sheet, that were read so far.
#[derive(Debug, Clone, Default)]
pub struct LineCount(Arc<AtomicU64>);

impl LineCount {
    /// The number so far.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }

    pub(crate) fn set(&self, lines: u64) {
        self.0.store(lines, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_command_line() {
        for encoding in TextEncoding::ALL {
            assert_eq!(encoding.name().parse(), Ok(encoding));
        }
        for separator in ColumnSeparator::ALL {
            assert_eq!(separator.name().parse(), Ok(separator));
        }
        assert_eq!(";".parse(), Ok(ColumnSeparator::Semicolon));
        let unknown = "koi8".parse::<TextEncoding>().map_err(|e| e.to_string());
        let message = "this is not a known encoding: use utf-8, utf-16 or windows-1252";
        assert_eq!(unknown, Err(message.to_owned()));
    }
}
