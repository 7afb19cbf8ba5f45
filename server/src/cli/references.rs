//! Files of references: reading them, and matching them with sources.

use std::{
    fs,
    path::{Path, PathBuf},
    str::FromStr,
};

use anyhow::{Context as _, bail};
use formats::{InputOptions, SourceReferences, TextFile};
use service::import::ReferenceSummary;

use super::input_file::{file_name, open_input, shown};

/// Reads references from an ASSET folder (`NAME.orig` and `NAME.simp.0` …), a folder of the LENS repository (`test.src`
/// and `test.dst`), or a file of rows (JSONL or CSV).
pub(super) fn read_references(
    path: &Path,
    options: &InputOptions,
) -> anyhow::Result<SourceReferences> {
    let references = if path.is_dir() {
        read_folder(path, options)
    } else {
        read_files(&[path.to_owned()], options)
    };

    let references = references.with_context(|| format!("{} was not read", shown(path)))?;
    if references.is_empty() {
        bail!(
            "{} holds no reference: name a folder with NAME.orig and NAME.simp.0 … or with test.src and \
             test.dst, or a file whose rows have references",
            shown(path)
        );
    }
    Ok(references)
}

/// Reads files that belong together.
fn read_files(paths: &[PathBuf], options: &InputOptions) -> anyhow::Result<SourceReferences> {
    let text_file = |path: &PathBuf| {
        Ok::<_, anyhow::Error>(TextFile {
            name: file_name(path),
            input: open_input(path, options.clone())?,
        })
    };
    let files = paths.iter().map(text_file).collect::<Result<_, _>>()?;
    Ok(SourceReferences::read(files)?)
}

fn read_folder(folder: &Path, options: &InputOptions) -> anyhow::Result<SourceReferences> {
    let lens_files = ["test.src", "test.dst"].map(|name| folder.join(name));
    if lens_files.iter().all(|path| path.exists()) {
        return read_files(&lens_files, options);
    }

    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).context("the folder cannot be listed")? {
        paths.push(entry.context("the folder cannot be listed")?.path());
    }
    paths.sort();

    // ASSET's folder holds several splits: each `NAME.orig` belongs to its own `NAME.simp.N`.
    let names = paths.iter().map(|path| file_name(path));
    let stems = names.filter_map(|name| Some(name.strip_suffix(".orig")?.to_owned()));
    let mut references: Option<SourceReferences> = None;
    for stem in stems {
        let belongs = |path: &&PathBuf| {
            let name = file_name(path);
            let part = name.strip_prefix(&stem).unwrap_or_default();
            part == ".orig" || part.starts_with(".simp.")
        };

        let files: Vec<_> = paths.iter().filter(belongs).cloned().collect();
        let more = read_files(&files, options)?;
        references = Some(match references {
            Some(earlier) => earlier.merge(more),
            None => more,
        });
    }
    references.context("there is neither NAME.orig nor test.src with test.dst in the folder")
}

/// The least similarity of two texts that are taken for the same, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SimilarityThreshold(pub(super) f64);

impl FromStr for SimilarityThreshold {
    type Err = String;

    /// Reads `90%` or `0.9`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let share = match text.trim().strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
            None => text.trim().parse(),
        };
        let share = share.ok().filter(|share| (0.0..=1.0).contains(share));
        share
            .map(Self)
            .ok_or_else(|| "a similarity is a share such as 90% or 0.9, from 0 to 1".to_owned())
    }
}

/// The references of sources on the command line, the same for every command.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct ReferenceArgs {
    /// References: an ASSET folder (NAME.orig, NAME.simp.0 …), a folder with test.src and test.dst, or a
    /// file of rows with references.
    #[arg(long, value_name = "DIR|FILE")]
    references: Option<PathBuf>,
    /// Take the nearest text for a source without references where they are as alike as this: 90%, or
    /// 0.9.
    #[arg(long, value_name = "SHARE", requires = "references")]
    accept_similar: Option<SimilarityThreshold>,
}

impl ReferenceArgs {
    /// The references that the arguments name, if any.
    pub(super) fn read(&self, options: &InputOptions) -> anyhow::Result<Option<SourceReferences>> {
        let read = |path| read_references(path, options);
        self.references.as_deref().map(read).transpose()
    }

    /// Reports how references fit the sources, after accepting those whose texts are similar enough.
    pub(super) fn fit(
        &self,
        references: &mut SourceReferences,
        sources: &[&str],
    ) -> ReferenceSummary {
        if let Some(SimilarityThreshold(min_similarity)) = self.accept_similar {
            references.accept_similar(sources, min_similarity);
        }
        ReferenceSummary::new(&references.report(sources), |_| (None, String::new()))
    }
}

/// The lines that report sources without references, and texts that belong to no source.
pub(super) fn reference_lines(summary: &ReferenceSummary) -> Vec<String> {
    /// The number of sources to list on a command line.
    const LISTED: usize = 12;

    let mut lines = vec![summary.sentence()];
    if summary.without > 0 {
        lines.push(format!(
            "{} of {} sources have no reference, so their outputs have no score where one is needed:",
            summary.without, summary.sources
        ));
    }

    for source in summary.first_without.iter().take(LISTED) {
        let name = match source.name.as_str() {
            "" => String::new(),
            name => format!("{name} "),
        };
        let nearest = match &source.nearest {
            Some(nearest) => {
                // Rounded down, so that `--accept-similar` with this percentage accepts the text.
                let percent = (100.0 * nearest.similarity).floor();
                format!(
                    "the nearest is on line {}, {percent} % alike (--accept-similar {percent}%): “{}”",
                    nearest.line, nearest.text
                )
            }
            None => "no text is like it".to_owned(),
        };
        lines.push(format!("  {name}“{}”: {nearest}", source.text));
    }

    if summary.without > LISTED {
        lines.push(format!(
            "  and {} more: --json lists them",
            summary.without - LISTED
        ));
    }

    if summary.unused > 0 {
        let numbers = summary.first_unused.iter().take(LISTED);
        let numbers: Vec<_> = numbers.map(|text| text.line.to_string()).collect();
        let more = if summary.unused > LISTED { " …" } else { "" };
        lines.push(format!(
            "{} texts with references belong to no source, on the lines {}{more}",
            summary.unused,
            numbers.join(", ")
        ));
    }

    lines
}

#[cfg(test)]
mod tests {
    use testdata::{needs_released_data, released_path};

    use super::*;
    use crate::cli::input_file::open_reader;

    #[test]
    fn a_similarity_is_a_share() {
        assert_eq!("90%".parse(), Ok(SimilarityThreshold(0.9)));
        assert_eq!("0.5".parse(), Ok(SimilarityThreshold(0.5)));
        for text in ["", "91", "-1%", "101%", "NaN"] {
            assert!(text.parse::<SimilarityThreshold>().is_err(), "{text}");
        }
    }

    /// The released ASSET ratings spell a quarter of its sources differently.
    #[needs_released_data("asset", "asset_ratings")]
    #[test]
    fn every_source_of_the_asset_ratings_finds_its_references() {
        let mut references = read_references(&released_path("asset"), &InputOptions::default())
            .expect("ASSET's folder");

        let ratings = released_path("asset_ratings/human_ratings.csv");
        let opened = formats::open(
            open_reader(&ratings).expect("there"),
            formats::FileReadOptions::default(),
        )
        .expect("ratings");

        let mut sources = Vec::new();
        for row in opened.rows {
            let text = row.expect("a good row").source.text;
            if !sources.contains(&text) {
                sources.push(text);
            }
        }
        let sources: Vec<&str> = sources.iter().map(String::as_str).collect();

        let arguments = ReferenceArgs {
            references: None,
            accept_similar: None,
        };
        let fit = arguments.fit(&mut references, &sources);
        assert_eq!(
            (fit.sources, fit.exact, fit.normalised, fit.without),
            (100, 75, 25, 0)
        );
        assert_eq!(fit.unused, 259);
    }
}
