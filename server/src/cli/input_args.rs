//! How the bytes of a file are read, the same for every command with these flags.

use formats::{ColumnSeparator, InputOptions, TextEncoding};

/// Flags that state what is otherwise found in the file.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct InputArgs {
    /// The encoding of the files: utf-8, utf-16 or windows-1252. By default UTF-8, and UTF-16 where the file
    /// looks like it.
    #[arg(long, value_name = "NAME")]
    encoding: Option<TextEncoding>,
    /// The separator of a table: comma, semicolon or tab. By default the most frequent one.
    #[arg(long, value_name = "NAME")]
    separator: Option<ColumnSeparator>,
    /// The sheet of a workbook (.xlsx), by name. By default the first one.
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
}

impl InputArgs {
    pub(super) fn options(&self) -> InputOptions {
        InputOptions {
            encoding: self.encoding,
            separator: self.separator,
            sheet: self.sheet.clone(),
        }
    }
}
