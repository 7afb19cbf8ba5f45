//! The outputs to score.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use formats::{
    FileReadOptions, OpenedFile, ReadError, SimplificationUse, TextFile, open, open_texts,
};

use super::unreadable_message;
use crate::cli::references::open_reader;

/// The outputs that were read, with warnings.
pub(super) struct ScoreInput {
    pub(super) rows: Vec<ScoreInputRow>,
    pub(super) warnings: Vec<String>,
}

/// An output as its file describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScoreInputRow {
    /// The file's own name for it; empty where it has none.
    pub(super) id: String,
    pub(super) source: String,
    /// Empty where the file names none.
    pub(super) system: String,
    pub(super) output: String,
    /// The references in the same row.
    pub(super) references: Vec<String>,
}

pub(super) fn read_outputs(files: &[PathBuf], source: Option<&Path>) -> anyhow::Result<ScoreInput> {
    match (source, files) {
        (Some(source), files) => read_texts(files, source),
        (None, [file]) => {
            let hint = || {
                format!(
                    "{}; of text files, one output a line, name the sources with --source",
                    unreadable_message(file)
                )
            };
            let opened = open(open_reader(file)?, FileReadOptions::default()).with_context(hint)?;
            read_rows(opened).with_context(|| unreadable_message(file))
        }
        (None, _) => bail!("name the file of the sources of these text files with --source"),
    }
}

fn read_texts(files: &[PathBuf], source: &Path) -> anyhow::Result<ScoreInput> {
    let text_file = |name: String, path: &Path| {
        let input = open_reader(path)?.into();
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
    let (mut rows, mut warnings) = (Vec::new(), Vec::new());
    for row in opened.rows {
        let row = match row {
            Ok(row) => row,
            Err(ReadError::Row(bad)) => {
                warnings.push(format!("left out: {bad}"));
                continue;
            }
            Err(ReadError::Fatal(fatal)) => return Err(fatal.into()),
        };
        let id = row.verbatim.iter().find(|(name, _)| **name == *"id");
        let id = id.map_or_else(String::new, |(_, id)| id.trim_matches('"').to_owned());
        if let Some(output) = row.output {
            rows.push(ScoreInputRow {
                id,
                source: row.source.text,
                system: output.system.unwrap_or_default(),
                output: output.text,
                references: row.source.references,
            });
        }
    }
    if rows.is_empty() {
        bail!("there is no output to score: name a column “output” beside “source”");
    }
    Ok(ScoreInput { rows, warnings })
}
