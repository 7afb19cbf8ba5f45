//! The files of outputs to score, which are read row by row.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use formats::{
    FileFormat, FileNote, FileRow, OpenedFile, ReadError, RowIterator, SimplificationUse, TextFile,
    open, open_texts,
};
use tempfile::NamedTempFile;

use super::unreadable_message;
use crate::cli::{input_args::ReadingArgs, input_file::open_input};

/// The files of outputs. They are read twice: signatures, columns and the number of references depend on all rows,
/// which may be too many to keep.
pub(super) struct OutputFiles<'a> {
    files: Vec<ReadableFile<'a>>,
    source: Option<ReadableFile<'a>>,
    reading: &'a ReadingArgs,
}

/// A file that can be read again.
struct ReadableFile<'a> {
    path: &'a Path,
    /// The copy of a pipe.
    copy: Option<NamedTempFile>,
}

/// An output as its file describes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ScoreInputRow {
    /// The file's own name for the output; empty without one.
    pub(super) id: String,
    /// The file's own name for the source; empty without one.
    pub(super) source_id: String,
    pub(super) source: String,
    /// Empty if the file names none.
    pub(super) system: String,
    pub(super) output: String,
    /// The references in the same row.
    pub(super) references: Vec<String>,
}

/// A row with an output.
pub(super) struct ReadOutput {
    pub(super) row: ScoreInputRow,
    /// Whether it has ratings, so that other rows may repeat it with other ratings.
    pub(super) is_rated: bool,
}

/// The outputs of files, in their order.
pub(super) struct OutputRows<'a> {
    rows: RowIterator<'static>,
    /// The file; `None` if there are several.
    file: Option<&'a Path>,
    are_texts: bool,
    /// Remarks on how the file was read and on rows that were left out.
    warnings: Vec<String>,
}

impl ScoreInputRow {
    /// The size of its names and texts, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let names = [&self.id, &self.source_id, &self.system];
        let texts = names.into_iter().chain([&self.source, &self.output]);
        texts.chain(&self.references).map(String::len).sum()
    }
}

impl<'a> OutputFiles<'a> {
    pub(super) fn new(
        files: &'a [PathBuf],
        source: Option<&'a Path>,
        reading: &'a ReadingArgs,
    ) -> anyhow::Result<Self> {
        if source.is_none() && files.len() != 1 {
            bail!("name the file of the sources of these text files with --source");
        }

        let files = files.iter().map(|file| ReadableFile::new(file));
        Ok(Self {
            files: files.collect::<Result<_, _>>()?,
            source: source.map(ReadableFile::new).transpose()?,
            reading,
        })
    }

    /// Reads the files from their beginning.
    pub(super) fn open(&self) -> anyhow::Result<OutputRows<'a>> {
        let (file, opened) = match (&self.source, &self.files[..]) {
            (Some(source), files) => (None, self.open_texts(source, files)?),
            (None, [file]) => (Some(file.path), self.open_table(file)?),
            (None, _) => unreachable!("several files come with sources"),
        };
        Ok(OutputRows {
            file,
            are_texts: opened.format == FileFormat::Text,
            warnings: opened.notes.iter().filter_map(sheet_remark).collect(),
            rows: opened.rows,
        })
    }

    fn open_table(&self, file: &ReadableFile<'_>) -> anyhow::Result<OpenedFile<'static>> {
        let hint = || {
            format!(
                "{}; of text files, one output a line, name the sources with --source",
                unreadable_message(file.path)
            )
        };
        let input = self.reading.input.open(file.readable_path())?;
        open(input, self.reading.options(None)?).with_context(hint)
    }

    fn open_texts(
        &self,
        source: &ReadableFile<'_>,
        files: &[ReadableFile<'_>],
    ) -> anyhow::Result<OpenedFile<'static>> {
        let text_file = |name: String, file: &ReadableFile<'_>| {
            let options = self.reading.input.companion_options();
            let input = open_input(file.readable_path(), options)?;
            Ok::<_, anyhow::Error>(TextFile { name, input })
        };

        let mut texts = vec![text_file("texts.orig".to_owned(), source)?];
        for file in files {
            let name = file.path.file_name();
            let name = name.with_context(|| format!("{} is not a file", file.path.display()))?;
            texts.push(text_file(name.to_string_lossy().into_owned(), file)?);
        }

        Ok(open_texts(texts, SimplificationUse::Outputs)?)
    }
}

impl<'a> ReadableFile<'a> {
    fn new(path: &'a Path) -> anyhow::Result<Self> {
        // A missing file is reported when it is opened.
        let is_pipe = fs::metadata(path).is_ok_and(|file| !file.is_file() && !file.is_dir());
        let copy = match is_pipe {
            true => Some(copy_pipe(path).with_context(|| unreadable_message(path))?),
            false => None,
        };
        Ok(Self { path, copy })
    }

    fn readable_path(&self) -> &Path {
        self.copy.as_ref().map_or(self.path, NamedTempFile::path)
    }
}

fn copy_pipe(path: &Path) -> io::Result<NamedTempFile> {
    let mut copy = NamedTempFile::new()?;
    io::copy(&mut File::open(path)?, &mut copy)?;
    Ok(copy)
}

/// The remark on how a workbook was read. Remarks on ratings do not matter here.
fn sheet_remark(note: &FileNote) -> Option<String> {
    match note {
        FileNote::Sheet(note) => Some(note.to_string()),
        FileNote::RatersUnknown | FileNote::RatersUnused => None,
    }
}

impl OutputRows<'_> {
    /// The remarks so far, complete when all rows are read.
    pub(super) fn into_warnings(self) -> Vec<String> {
        self.warnings
    }
}

impl Iterator for OutputRows<'_> {
    type Item = anyhow::Result<ReadOutput>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.rows.next()? {
                Ok(row) => {
                    if let Some(output) = ReadOutput::new(row, self.are_texts) {
                        return Some(Ok(output));
                    }
                }
                Err(ReadError::Row(bad)) => self.warnings.push(format!("left out: {bad}")),
                Err(ReadError::Fatal(fatal)) => {
                    let error = anyhow::Error::from(fatal);
                    return Some(Err(match self.file {
                        Some(file) => error.context(unreadable_message(file)),
                        None => error,
                    }));
                }
            }
        }
    }
}

impl ReadOutput {
    /// Takes the output of a row; `None` for a row with a source alone.
    fn new(row: FileRow, is_text: bool) -> Option<Self> {
        let id = row.verbatim.iter().find(|(name, _)| **name == *"id");
        let id = id.map_or_else(String::new, |(_, id)| id.trim_matches('"').to_owned());

        let output = row.output?;
        let is_rated = !output.ratings.is_empty();
        let row = ScoreInputRow {
            id,
            // Lines of texts have numbers, which are not names.
            source_id: row.source.key.filter(|_| !is_text).unwrap_or_default(),
            source: row.source.text,
            system: output.system.unwrap_or_default(),
            output: output.text,
            references: row.source.references,
        };
        Some(Self { row, is_rated })
    }
}
