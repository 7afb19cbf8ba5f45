//! The texts to align.

use std::{
    io::Read as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use clap::Args;
use domain::text::{align::gold::GoldPair, tokenised_text::TokenisedText};

use crate::cli::{
    input_args::TextArgs,
    input_file::{open_input, shown},
};

/// Where the texts are.
#[derive(Debug, Args)]
pub(super) struct AlignInputArgs {
    /// A source and an output a line, separated by a tab; or a MultiMWA file, whose words are taken
    /// as they are cut. With --source, the outputs alone, one a line, as many as there are sources.
    #[arg(value_name = "FILE", required = true)]
    file: Option<PathBuf>,
    /// The sources, one a line.
    #[arg(long, value_name = "FILE")]
    source: Option<PathBuf>,
    #[command(flatten)]
    text: TextArgs,
}

/// A source and an output.
pub(super) type TextPair = (TokenisedText, TokenisedText);

/// The columns from which a line is MultiMWA's.
const GOLD_COLUMNS: usize = 8;

impl AlignInputArgs {
    pub(super) fn read(&self) -> anyhow::Result<Vec<TextPair>> {
        let file = self.file.as_deref().context("name a FILE")?;
        match &self.source {
            None => read_joint_file(file, &self.text),
            Some(source) => read_separate_files(source, file, &self.text),
        }
    }
}

/// One pair for each line except a header. An empty line gives a pair of empty texts, so that lines of the result match
/// those of the file.
fn read_joint_file(path: &Path, text: &TextArgs) -> anyhow::Result<Vec<TextPair>> {
    let text = read_text(path, text)?;
    pair_lines(&text)
        .map(|(at, line)| {
            if line.trim().is_empty() {
                return Ok((TokenisedText::new(""), TokenisedText::new("")));
            }

            let place = || format!("{}, line {}", shown(path), at + 1);
            if line.split('\t').count() >= GOLD_COLUMNS {
                return Ok(GoldPair::parse(line).with_context(place)?.texts());
            }

            match line.split('\t').collect::<Vec<_>>()[..] {
                [source, output] => Ok((TokenisedText::new(source), TokenisedText::new(output))),
                ref columns => bail!(
                    "{}: a source and an output, separated by one tab, are expected, not {} column(s)",
                    place(),
                    columns.len()
                ),
            }
        })
        .collect()
}

fn read_separate_files(
    source: &Path,
    output: &Path,
    text: &TextArgs,
) -> anyhow::Result<Vec<TextPair>> {
    let (sources, outputs) = (read_text(source, text)?, read_text(output, text)?);
    let (from, to) = (sources.lines().count(), outputs.lines().count());
    if from != to {
        bail!(
            "{} has {from} lines and {} has {to}: line by line they have to belong together",
            shown(source),
            shown(output)
        );
    }

    let pairs = sources.lines().zip(outputs.lines());
    Ok(pairs
        .map(|(source, output)| (TokenisedText::new(source), TokenisedText::new(output)))
        .collect())
}

/// Reads the gold pairs of a MultiMWA file.
pub(super) fn read_gold_pairs(path: &Path, text: &TextArgs) -> anyhow::Result<Vec<GoldPair>> {
    let text = read_text(path, text)?;
    let pairs: Vec<_> = pair_lines(&text)
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| {
            GoldPair::parse(line).with_context(|| format!("{}, line {}", shown(path), at + 1))
        })
        .collect::<anyhow::Result<_>>()?;

    if pairs.is_empty() {
        bail!("{} holds no pair of texts", shown(path));
    }
    Ok(pairs)
}

/// The numbered lines without the header of our own exports.
fn pair_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate();
    lines.filter(|(at, line)| !(*at == 0 && GoldPair::is_header(line)))
}

fn read_text(path: &Path, text: &TextArgs) -> anyhow::Result<String> {
    let unread = || format!("{} cannot be read", shown(path));
    let mut bytes = Vec::new();
    let mut text = open_input(path, text.options())?
        .into_text()
        .with_context(unread)?;
    text.read_to_end(&mut bytes).with_context(unread)?;

    String::from_utf8(bytes).map_err(|error| {
        let line = error.as_bytes()[..error.utf8_error().valid_up_to()]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        anyhow::anyhow!(
            "{}, line {}: this is not UTF-8; read it with --encoding windows-1252, or save the file in UTF-8",
            shown(path),
            line + 1
        )
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_of_pairs_is_read_with_a_header_and_without() {
        let folder = tempfile::tempdir().unwrap();
        let pair = "7\tone two\tN/A\tuno dos\tN/A\t1\t1\t0-0 1-1\t\t";
        let path = folder.path().join("pairs.tsv");
        let text = TextArgs::default();
        for header in ["", GoldPair::HEADER] {
            let header = format!("{header}{}", if header.is_empty() { "" } else { "\n" });
            fs::write(&path, format!("{header}{pair}\tannotator 1\n\n")).unwrap();
            let pairs = read_gold_pairs(&path, &text).unwrap();
            assert_eq!(pairs, [GoldPair::parse(pair).unwrap()]);
            // The empty line keeps its place.
            assert_eq!(read_joint_file(&path, &text).unwrap().len(), 2);
        }

        fs::write(&path, format!("{}\n", GoldPair::HEADER)).unwrap();
        let error = read_gold_pairs(&path, &text).unwrap_err().to_string();
        assert!(error.ends_with("holds no pair of texts"), "{error}");
    }
}
