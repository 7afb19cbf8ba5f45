//! Which ratings a command computes from: a study's, or those of a SimpEval file.

use std::{
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use app::figures::Which;
use domain::study::Slug;
use formats::{RatedFile, simpeval::Raters};

/// What the command line says about it; the same for every command.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("of").required(true).args(["file", "study"]))]
pub(super) struct Rated {
    /// A SimpEval file, past or 2022; no database is touched.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// A study, by its short name.
    #[arg(long, value_name = "STUDY")]
    study: Option<Slug>,
    /// The file that names who is behind each rating (original_id,system,slot,rater).
    #[arg(long, value_name = "FILE", requires = "file")]
    raters: Option<PathBuf>,
    /// The dimension of a study's ratings.
    #[arg(long, value_name = "NAME", default_value = domain::study::OVERALL, requires = "study")]
    pub(super) dimension: String,
    /// Counts sources in work, too, and not only those handed in.
    #[arg(long, requires = "study")]
    in_work: bool,
}

/// Where the ratings are.
pub(super) enum Place<'a> {
    File(&'a Path),
    Study(&'a Slug),
}

impl Rated {
    pub(super) fn place(&self) -> anyhow::Result<Place<'_>> {
        match (&self.file, &self.study) {
            (Some(file), _) => Ok(Place::File(file)),
            (None, Some(study)) => Ok(Place::Study(study)),
            (None, None) => anyhow::bail!("name a FILE, or a study with --study"),
        }
    }

    pub(super) fn which(&self) -> Which {
        if self.in_work {
            Which::WithInWork
        } else {
            Which::HandedIn
        }
    }

    /// Reads the file, with the file of raters where there is one.
    pub(super) fn read(&self, path: &Path) -> anyhow::Result<RatedFile> {
        let raters = self.raters.as_deref().map(read_raters).transpose()?;
        formats::read_ratings(open(path)?, raters)
            .with_context(|| format!("{} was not read", path.display()))
    }
}

/// What to say about a file beside its figures.
pub(super) fn warnings(file: &RatedFile) -> Vec<String> {
    let doubtful = file.warnings.iter().map(ToString::to_string);
    let left_out = file.bad_rows.iter().map(|bad| format!("Left out: {bad}."));
    doubtful.chain(left_out).collect()
}

/// Reads a file of raters.
pub(super) fn read_raters(path: &Path) -> anyhow::Result<Raters> {
    Raters::read(open(path)?).with_context(|| format!("{} was not read", path.display()))
}

fn open(path: &Path) -> anyhow::Result<BufReader<File>> {
    let file = File::open(path).with_context(|| format!("{} cannot be opened", path.display()))?;
    Ok(BufReader::new(file))
}
