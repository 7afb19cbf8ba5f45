//! The outputs to score.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, RandomState},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use formats::{
    FileFormat, FileNote, FileRow, OpenedFile, ReadError, SimplificationUse, TextFile, open,
    open_texts,
};

use super::unreadable_message;
use crate::cli::{input_args::ReadingArgs, input_file::open_input, output::fold_repeats};

/// The outputs that were read, with warnings.
pub(super) struct ScoreInput {
    pub(super) rows: Vec<ScoreInputRow>,
    pub(super) warnings: Vec<String>,
}

/// An output as its file describes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ScoreInputRow {
    /// The file's own name for it; empty where it has none.
    pub(super) id: String,
    /// The file's own name for the source; empty where it has none.
    pub(super) source_id: String,
    pub(super) source: String,
    /// Empty where the file names none.
    pub(super) system: String,
    pub(super) output: String,
    /// The references in the same row.
    pub(super) references: Vec<String>,
}

pub(super) fn read_outputs(
    files: &[PathBuf],
    source: Option<&Path>,
    reading: &ReadingArgs,
) -> anyhow::Result<ScoreInput> {
    match (source, files) {
        (Some(source), files) => read_texts(files, source, reading),
        (None, [file]) => {
            let hint = || {
                format!(
                    "{}; of text files, one output a line, name the sources with --source",
                    unreadable_message(file)
                )
            };
            let input = reading.input.open(file)?;
            let opened = open(input, reading.options(None)?).with_context(hint)?;
            read_rows(opened).with_context(|| unreadable_message(file))
        }
        (None, _) => bail!("name the file of the sources of these text files with --source"),
    }
}

fn read_texts(
    files: &[PathBuf],
    source: &Path,
    reading: &ReadingArgs,
) -> anyhow::Result<ScoreInput> {
    let text_file = |name: String, path: &Path| {
        let input = open_input(path, reading.input.companion_options())?;
        Ok::<_, anyhow::Error>(TextFile { name, input })
    };
    let mut texts = vec![text_file("texts.orig".to_owned(), source)?];
    for file in files {
        let name = file
            .file_name()
            .with_context(|| format!("{} is no file", file.display()))?;
        texts.push(text_file(name.to_string_lossy().into_owned(), file)?);
    }
    read_rows(open_texts(texts, SimplificationUse::Outputs)?)
}

fn read_rows(opened: OpenedFile<'_>) -> anyhow::Result<ScoreInput> {
    let mut outputs = ScoredOutputs::default();
    let mut warnings: Vec<_> = opened.notes.iter().filter_map(sheet_remark).collect();
    let are_texts = opened.format == FileFormat::Text;
    for row in opened.rows {
        match row {
            Ok(row) => outputs.add(row, are_texts),
            Err(ReadError::Row(bad)) => warnings.push(format!("left out: {bad}")),
            Err(ReadError::Fatal(fatal)) => return Err(fatal.into()),
        }
    }
    let (rows, repeats) = outputs.finish();
    if rows.is_empty() {
        bail!(match warnings.is_empty() {
            true =>
                "there is no output to score: name a column “output” beside “source”".to_owned(),
            false => format!(
                "there is no output to score:\n  {}",
                fold_repeats(&warnings).join("\n  ")
            ),
        });
    }
    if repeats > 0 {
        warnings.push(format!(
            "{repeats} rows repeat an output with another rating: each output is scored once"
        ));
    }
    Ok(ScoreInput { rows, warnings })
}

/// The remark on how a workbook was read. Remarks on ratings are of no use here.
fn sheet_remark(note: &FileNote) -> Option<String> {
    match note {
        FileNote::Sheet(note) => Some(note.to_string()),
        FileNote::RatersUnknown | FileNote::RatersUnused => None,
    }
}

/// The outputs of a file. Where it has ratings, an output has a row for each of them, and is kept once.
#[derive(Default)]
struct ScoredOutputs {
    rows: Vec<ScoreInputRow>,
    /// The places of rows by the hash of their contents.
    places: HashMap<u64, Vec<usize>>,
    hasher: RandomState,
    has_ratings: bool,
    /// Rows that say the same as one before and were kept, as there were no ratings so far.
    kept_repeats: Vec<usize>,
    dropped: usize,
}

impl ScoredOutputs {
    fn add(&mut self, row: FileRow, is_text: bool) {
        let id = row.verbatim.iter().find(|(name, _)| **name == *"id");
        let id = id.map_or_else(String::new, |(_, id)| id.trim_matches('"').to_owned());
        let Some(output) = row.output else { return };
        self.has_ratings |= !output.ratings.is_empty();
        let row = ScoreInputRow {
            id,
            // Lines of texts have numbers, which are no names.
            source_id: row.source.key.filter(|_| !is_text).unwrap_or_default(),
            source: row.source.text,
            system: output.system.unwrap_or_default(),
            output: output.text,
            references: row.source.references,
        };

        let places = self.places.entry(self.hasher.hash_one(&row)).or_default();
        let is_repeat = places.iter().any(|place| self.rows[*place] == row);
        match (is_repeat, self.has_ratings) {
            (true, true) => {
                self.dropped += 1;
                return;
            }
            (true, false) => self.kept_repeats.push(self.rows.len()),
            (false, _) => places.push(self.rows.len()),
        }
        self.rows.push(row);
    }

    /// The outputs, and the number of rows that were left out.
    fn finish(mut self) -> (Vec<ScoreInputRow>, usize) {
        if self.has_ratings {
            self.dropped += self.kept_repeats.len();
            for place in self.kept_repeats.iter().rev() {
                self.rows.remove(*place);
            }
        }
        (self.rows, self.dropped)
    }
}
