//! Options for reading files, the same for every command that reads some.

use std::path::Path;

use anyhow::{Context as _, ensure};
use formats::{
    ColumnMapping, ColumnSeparator, FileInput, FileReadOptions, InputOptions, StatedScales,
    TextEncoding, simpeval::SlotRaters,
};

use super::input_file::{open_input, shown};

/// A flag that states what is otherwise found in a text.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct TextArgs {
    /// The encoding of the files: utf-8, utf-16 or windows-1252. By default UTF-8, and UTF-16 where the file
    /// looks like it.
    #[arg(long, value_name = "NAME")]
    encoding: Option<TextEncoding>,
}

/// Flags that state what is otherwise found in the bytes of a file.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct InputArgs {
    #[command(flatten)]
    text: TextArgs,
    /// The separator of a table: comma, semicolon or tab. By default the most frequent one.
    #[arg(long, value_name = "NAME")]
    separator: Option<ColumnSeparator>,
    /// The sheet of a workbook (.xlsx), by name. By default the first one with rows under the columns that are
    /// needed.
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
}

/// Flags that state how a file of outputs is read.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct ReadingArgs {
    #[command(flatten)]
    pub(super) input: InputArgs,
    /// Which column (or key) of the file holds which field, as `output=generation`; may be repeated.
    #[arg(long, value_name = "FIELD=COLUMN")]
    map: Vec<String>,
    /// The numbers that ratings may be, as `1..5` or, for one dimension, `simplicity=-2..2`; may be
    /// repeated. By default the format says so, or else the numbers themselves.
    #[arg(long, value_name = "[DIMENSION=]LOW..HIGH", allow_hyphen_values = true)]
    scale: Vec<String>,
}

impl TextArgs {
    pub(super) fn options(&self) -> InputOptions {
        InputOptions {
            encoding: self.encoding,
            ..InputOptions::default()
        }
    }
}

impl InputArgs {
    pub(super) fn options(&self) -> InputOptions {
        InputOptions {
            sheet: self.sheet.clone(),
            ..self.companion_options()
        }
    }

    /// The options of companions of the file with rows, such as references. A sheet belongs to the file with rows only.
    pub(super) fn companion_options(&self) -> InputOptions {
        InputOptions {
            separator: self.separator,
            ..self.text.options()
        }
    }

    /// Opens a file.
    pub(super) fn open(&self, path: &Path) -> anyhow::Result<FileInput<'static>> {
        open_input(path, self.options())
    }

    /// Refuses the options for a study, which is not read from a file.
    pub(super) fn refuse_for_study(&self) -> anyhow::Result<()> {
        ensure!(self.options().is_empty(), FOR_FILES);
        Ok(())
    }
}

impl ReadingArgs {
    /// The options of rows, with the file of raters if there is one.
    pub(super) fn options(&self, raters: Option<&Path>) -> anyhow::Result<FileReadOptions> {
        let mut mapping = ColumnMapping::parse(&self.map)?;
        mapping.scales = StatedScales::parse(&self.scale)?;
        let companion = self.input.companion_options();
        let raters = raters.map(|path| read_raters(path, companion));
        Ok(FileReadOptions {
            mapping,
            raters: raters.transpose()?,
            ..FileReadOptions::default()
        })
    }

    /// Whether neither columns nor scales are stated.
    pub(super) const fn is_unmapped(&self) -> bool {
        self.map.is_empty() && self.scale.is_empty()
    }

    /// Refuses the options for a study, which is not read from a file.
    pub(super) fn refuse_for_study(&self) -> anyhow::Result<()> {
        ensure!(self.is_unmapped(), FOR_FILES);
        self.input.refuse_for_study()
    }
}

/// The message for options that would have no effect.
const FOR_FILES: &str = "--encoding, --separator, --sheet, --map and --scale say how a file is read: leave them out \
                         for a study";

/// Reads a file of raters.
fn read_raters(path: &Path, options: InputOptions) -> anyhow::Result<SlotRaters> {
    SlotRaters::read(open_input(path, options)?)
        .with_context(|| format!("{} was not read", shown(path)))
}
