//! The ratings that a command computes from: those of a study or a file.

use std::{
    convert::Infallible,
    io::{BufRead as _, Cursor, Read as _},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use axum::body::Bytes;
use domain::study::{Dimension, Slug};
use formats::{FileInput, FileRatings, FileReadOptions};
use service::{
    export::{PARQUET_MAGIC, parquet_as_csv},
    figures::RatingScope,
};

use super::{
    input_args::{InputArgs, ReadingArgs},
    input_file::{open_reader, shown},
};
use crate::reports::{choose_dimension, dimension_index};

/// Their source on the command line, the same for every command.
#[derive(Debug, Clone, clap::Args)]
#[command(group = clap::ArgGroup::new("of").required(true).args(["file", "study"]))]
pub(super) struct RatingsArgs {
    /// A file of ratings: SimpEval's, direct assessment, Likert or ASSET's, JSONL, or any table by
    /// --map; an export of ratings, or the folder of a dataset. No database is touched.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// A study, by its short name.
    #[arg(long, value_name = "STUDY")]
    study: Option<Slug>,
    /// The file that names who is behind each rating (original_id,system,slot,rater).
    #[arg(long, value_name = "FILE", requires = "file")]
    raters: Option<PathBuf>,
    /// The dimension of the ratings; by default the first that has some.
    #[arg(long, value_name = "NAME")]
    dimension: Option<String>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Include sources still in progress, not only submitted ones.
    #[arg(long, requires = "study")]
    in_work: bool,
    /// Take the answers on which the raters of a source agreed, in place of their own.
    #[arg(long, requires = "study", conflicts_with = "in_work")]
    consensus: bool,
}

/// A study, or a file in its place.
#[derive(Debug, Clone)]
pub(super) enum StudyOrFile {
    Study(Slug),
    File(PathBuf),
}

impl StudyOrFile {
    /// Takes the text for a study if it can be a short name, otherwise for a file.
    pub(super) fn parse(text: &str) -> Result<Self, Infallible> {
        Ok(match text.parse() {
            Ok(slug) => Self::Study(slug),
            Err(_) => Self::File(text.into()),
        })
    }
}

/// The place of the ratings.
pub(super) enum RatingsPlace<'a> {
    File(&'a Path),
    Study(&'a Slug),
}

impl RatingsArgs {
    pub(super) fn place(&self) -> anyhow::Result<RatingsPlace<'_>> {
        match (&self.file, &self.study) {
            (Some(file), _) => Ok(RatingsPlace::File(file)),
            (None, Some(study)) => {
                self.reading.refuse_for_study()?;
                Ok(RatingsPlace::Study(study))
            }
            (None, None) => anyhow::bail!("name a FILE, or a study with --study"),
        }
    }

    pub(super) fn which(&self) -> RatingScope {
        match (self.consensus, self.in_work) {
            (true, _) => RatingScope::Consensus,
            (false, true) => RatingScope::IncludingOpen,
            (false, false) => RatingScope::HandedIn,
        }
    }

    /// Reads the file dimension by dimension, with the file of raters if there is one.
    pub(super) fn read_dimensions(
        &self,
        path: &Path,
    ) -> anyhow::Result<Vec<(Dimension, FileRatings)>> {
        formats::read_dimensions(self.open(path)?, self.options()?)
            .with_context(|| format!("{} was not read", shown(path)))
    }

    /// Like [`Self::read_dimensions`], but faster and without the outputs of the ratings.
    pub(super) fn read_dimensions_without_outputs(
        &self,
        path: &Path,
    ) -> anyhow::Result<Vec<(Dimension, FileRatings)>> {
        formats::read_dimensions_without_outputs(self.open(path)?, self.options()?)
            .with_context(|| format!("{} was not read", shown(path)))
    }

    fn open(&self, path: &Path) -> anyhow::Result<FileInput<'static>> {
        open_ratings(path, &self.reading.input)
    }

    fn options(&self) -> anyhow::Result<FileReadOptions> {
        Ok(FileReadOptions {
            // These commands do not compare texts.
            names_for_texts: true,
            ..self.reading.options(self.raters.as_deref())?
        })
    }

    /// Reads the file's ratings on the chosen dimension.
    pub(super) fn read(&self, path: &Path) -> anyhow::Result<(Dimension, FileRatings)> {
        let mut parts = self.read_dimensions(path)?;
        let at = self.dimension_index(parts.iter().map(|(dimension, _)| &dimension.name[..]))?;
        Ok(parts.swap_remove(at))
    }

    /// The chosen dimension among those of a study; the first by default.
    pub(super) fn dimension(&self, of_study: &[Dimension]) -> anyhow::Result<Dimension> {
        choose_dimension(self.dimension_name(), of_study)
    }

    /// The name of the chosen dimension, as it was typed.
    pub(super) fn dimension_name(&self) -> Option<&str> {
        self.dimension.as_deref()
    }

    /// The index of the chosen dimension among these names.
    pub(super) fn dimension_index<'a>(
        &self,
        names: impl Iterator<Item = &'a str> + Clone,
    ) -> anyhow::Result<usize> {
        dimension_index(self.dimension_name(), names)
    }
}

/// Reads a file's ratings dimension by dimension, with the file of raters if there is one.
pub(super) fn read_dimensions(
    path: &Path,
    reading: &ReadingArgs,
    raters: Option<&Path>,
) -> anyhow::Result<Vec<(Dimension, FileRatings)>> {
    let file = open_ratings(path, &reading.input)?;
    formats::read_dimensions(file, reading.options(raters)?)
        .with_context(|| format!("{} was not read", shown(path)))
}

/// The warnings about a file.
pub(super) fn warnings(file: &FileRatings) -> Vec<String> {
    let doubtful = file.warnings.iter().map(ToString::to_string);
    let left_out = file.bad_rows.iter().map(|bad| format!("Left out: {bad}."));
    doubtful.chain(left_out).collect()
}

/// Opens a file of ratings: of a dataset folder its `ratings.parquet`, of a Parquet file its table as CSV.
fn open_ratings(path: &Path, input: &InputArgs) -> anyhow::Result<FileInput<'static>> {
    let path = match path.is_dir() {
        true => &path.join("ratings.parquet"),
        false => path,
    };
    let mut reader = open_reader(path)?;
    if !reader.fill_buf()?.starts_with(PARQUET_MAGIC) {
        return Ok(FileInput::new(reader, input.options()));
    }

    let mut file = Vec::new();
    reader.read_to_end(&mut file)?;
    let table = parquet_as_csv(Bytes::from(file));
    let table = table.with_context(|| format!("{} was not read", shown(path)))?;
    Ok(FileInput::new(Cursor::new(table), input.options()))
}
