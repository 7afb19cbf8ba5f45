//! The texts to pre-train on.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use formats::ReadError;
use learn::tuning::{PretrainingData, PretrainingText};

use crate::cli::{input_args::ReadingArgs, input_file::shown, references::read_references};

/// The texts that were read, with warnings.
pub(super) struct PretrainingTexts {
    pub(super) data: PretrainingData,
    pub(super) warnings: Vec<String>,
}

/// Reads the texts of both stages: those of files, and those with references.
pub(super) fn read_texts(
    files: &[PathBuf],
    references: Option<&Path>,
    reading: &ReadingArgs,
) -> anyhow::Result<PretrainingTexts> {
    let mut collected = TextCollection::default();
    let mut warnings = Vec::new();
    for path in files {
        let read = match path.extension() {
            Some(extension) if extension.eq_ignore_ascii_case("txt") => {
                collected.read_lines(path, reading)
            }
            _ => collected.read_rows(path, reading, &mut warnings),
        };
        read.with_context(|| format!("{} was not read", shown(path)))?;
    }

    let mut data = PretrainingData {
        first: collected.texts.clone(),
        second: Vec::new(),
    };
    if let Some(path) = references {
        for text in read_references(path, &reading.input.companion_options())?.texts() {
            let own = collected.entry(&text.text);
            for reference in &text.references {
                if !own.references.contains(reference) {
                    own.references.push(reference.clone());
                }
            }
        }
    }

    let with_references = collected.texts.into_iter();
    data.second = with_references
        .filter(|text| !text.references.is_empty())
        .collect();
    Ok(PretrainingTexts { data, warnings })
}

/// Texts by source, each once, in order of first appearance.
#[derive(Default)]
struct TextCollection {
    texts: Vec<PretrainingText>,
    places: HashMap<String, usize>,
}

impl TextCollection {
    fn entry(&mut self, source: &str) -> &mut PretrainingText {
        let place = *self
            .places
            .entry(source.to_owned())
            .or_insert(self.texts.len());
        if place == self.texts.len() {
            self.texts.push(PretrainingText {
                source: source.to_owned(),
                outputs: Vec::new(),
                references: Vec::new(),
            });
        }
        &mut self.texts[place]
    }

    fn read_lines(&mut self, path: &Path, reading: &ReadingArgs) -> anyhow::Result<()> {
        let text = reading.input.open(path)?.into_text()?;
        for line in BufReader::new(text).lines() {
            let line = line.context(
                "it is not UTF-8 text: read it with --encoding windows-1252, or save it in UTF-8",
            )?;
            let line = line.trim();
            if !line.is_empty() {
                self.entry(line);
            }
        }
        Ok(())
    }

    fn read_rows(
        &mut self,
        path: &Path,
        reading: &ReadingArgs,
        warnings: &mut Vec<String>,
    ) -> anyhow::Result<()> {
        let opened = formats::open(reading.input.open(path)?, reading.options(None)?)
            .context("of a text file with a source a line, the name ends in .txt")?;
        let sheet_notes = opened.input.sheet_notes.iter();
        warnings.extend(sheet_notes.map(ToString::to_string));

        let mut is_empty = true;
        for row in opened.rows {
            let row = match row {
                Ok(row) => row,
                Err(ReadError::Row(bad)) => {
                    warnings.push(format!("left out: {bad}"));
                    continue;
                }
                Err(ReadError::Fatal(fatal)) => return Err(fatal.into()),
            };

            is_empty = false;
            let text = self.entry(&row.source.text);
            for reference in row.source.references {
                if !text.references.contains(&reference) {
                    text.references.push(reference);
                }
            }
            let output = row.output.map(|output| output.text);
            if let Some(output) = output.filter(|output| !text.outputs.contains(output)) {
                text.outputs.push(output);
            }
        }

        if is_empty {
            bail!("it has no source: name a column “source”");
        }
        Ok(())
    }
}
