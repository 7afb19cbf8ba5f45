//! Where the references of sources are.

use std::{
    fs::{self, File},
    io::BufReader,
    path::{Path, PathBuf},
    str::FromStr,
};

use anyhow::{Context as _, bail};
use formats::{FileReadOptions, SimplificationUse, SourceReferences, TextFile, open, open_texts};
use service::import::ReferenceSummary;

/// Reads references: of an ASSET folder (`NAME.orig` and `NAME.simp.0` …), of the LENS repository's
/// (`test.src` and `test.dst`), or of a file of rows (JSONL or CSV).
pub(super) fn read_references(path: &Path) -> anyhow::Result<SourceReferences> {
    let found = if path.is_dir() {
        read_folder(path)
    } else {
        read_file(path)
    };
    let found = found.with_context(|| format!("{} was not read", path.display()))?;
    if found.is_empty() {
        bail!(
            "{} holds no reference: name a folder with NAME.orig and NAME.simp.0 … or with test.src and \
             test.dst, or a file whose rows have references",
            path.display()
        );
    }
    Ok(found)
}

fn read_file(path: &Path) -> anyhow::Result<SourceReferences> {
    let opened = open(open_reader(path)?, FileReadOptions::default())?;
    Ok(SourceReferences::from_rows(opened.rows)?)
}

fn read_folder(folder: &Path) -> anyhow::Result<SourceReferences> {
    let [sources, references] = ["test.src", "test.dst"].map(|name| folder.join(name));
    if sources.exists() && references.exists() {
        let (sources, references) = (open_reader(&sources)?, open_reader(&references)?);
        return Ok(SourceReferences::read_lens(sources, references)?);
    }
    let mut names: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).context("the folder cannot be listed")? {
        names.push(entry.context("the folder cannot be listed")?.path());
    }
    names.sort();
    // ASSET's folder has both halves of the dataset: each `NAME.orig` belongs to its own `NAME.simp.N`.
    let name = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let stems = names
        .iter()
        .filter_map(|path| Some(name(path)?.strip_suffix(".orig")?.to_owned()));
    let mut found: Option<SourceReferences> = None;
    for stem in stems.collect::<Vec<_>>() {
        let mut files = Vec::new();
        for path in &names {
            let Some(name) = name(path) else { continue };
            let part = name.strip_prefix(&stem).unwrap_or_default();
            if part == ".orig" || part.starts_with(".simp.") {
                let input = Box::new(open_reader(path)?);
                files.push(TextFile { name, input });
            }
        }
        let opened = open_texts(files, SimplificationUse::References)?;
        let of_stem = SourceReferences::from_rows(opened.rows)?;
        found = Some(match found {
            Some(all) => all.merge(of_stem),
            None => of_stem,
        });
    }
    found.context("there is neither NAME.orig nor test.src with test.dst in the folder")
}

pub(super) fn open_reader(path: &Path) -> anyhow::Result<BufReader<File>> {
    let file = File::open(path).with_context(|| format!("{} cannot be opened", path.display()))?;
    Ok(BufReader::new(file))
}

/// How alike two texts must be, from 0 to 1.
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

/// How the references fit these sources, after those that are as similar as `accept` were taken.
pub(super) fn fit_references(
    references: &mut SourceReferences,
    sources: &[&str],
    accept: Option<SimilarityThreshold>,
) -> ReferenceSummary {
    if let Some(SimilarityThreshold(least)) = accept {
        references.accept_similar(sources, least);
    }
    ReferenceSummary::new(&references.report(sources), |_| (None, String::new()))
}

/// What to say of sources that have no references, and of texts that belong to no source.
pub(super) fn reference_lines(of: &ReferenceSummary) -> Vec<String> {
    /// How many sources a command line lists.
    const LISTED: usize = 12;
    let mut lines = vec![of.sentence()];
    if of.without > 0 {
        lines.push(format!(
            "{} of {} sources have no reference, so their outputs have no score where one is needed:",
            of.without, of.sources
        ));
    }
    for source in of.first_without.iter().take(LISTED) {
        let name = match source.name.as_str() {
            "" => String::new(),
            name => format!("{name} "),
        };
        let nearest = match &source.nearest {
            Some(nearest) => {
                // Rounded down, so that the flag takes what the line says.
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
    if of.without > LISTED {
        lines.push(format!(
            "  and {} more: --json lists them",
            of.without - LISTED
        ));
    }
    if of.unused > 0 {
        let numbers = of.first_unused.iter().take(LISTED);
        let numbers: Vec<_> = numbers.map(|text| text.line.to_string()).collect();
        let more = if of.unused > LISTED { " …" } else { "" };
        lines.push(format!(
            "{} texts with references belong to no source, on the lines {}{more}",
            of.unused,
            numbers.join(", ")
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use testdata::{needs_released_data, released_path};

    use super::*;

    #[test]
    fn a_similarity_is_a_share() {
        assert_eq!("90%".parse(), Ok(SimilarityThreshold(0.9)));
        assert_eq!("0.5".parse(), Ok(SimilarityThreshold(0.5)));
        for text in ["", "91", "-1%", "101%", "NaN"] {
            assert!(text.parse::<SimilarityThreshold>().is_err(), "{text}");
        }
    }

    /// The ratings that were released with ASSET write a quarter of its sources otherwise.
    #[needs_released_data("asset", "asset_ratings")]
    #[test]
    fn every_source_of_the_asset_ratings_finds_its_references() {
        let mut references = read_references(&released_path("asset")).expect("ASSET's folder");
        let ratings = released_path("asset_ratings/human_ratings.csv");
        let opened = open(
            open_reader(&ratings).expect("there"),
            FileReadOptions::default(),
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
        let found = fit_references(&mut references, &sources, None);
        assert_eq!(
            (found.sources, found.exact, found.normalised, found.without),
            (100, 75, 25, 0)
        );
        assert_eq!(found.unused, 259);
    }
}
