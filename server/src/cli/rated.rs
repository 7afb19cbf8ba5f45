//! Where ratings come from: a file, or a study.

use std::{
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use app::figures::Which;
use domain::study::{Dimension, Slug};
use formats::{RatedFile, simpeval::Raters};
use store::{Store, Study};

use super::study::named;
use crate::{database, settings::DataSettings};

/// Names a SimpEval file or a study, and which of its ratings.
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
    dimension: String,
    /// Counts sources in work, too, and not only those handed in.
    #[arg(long, requires = "study")]
    in_work: bool,
}

/// The ratings that were named.
pub(super) enum Found {
    /// Those of a file.
    File(RatedFile),
    /// Those of a study.
    Study(OfStudy),
}

/// A study, and which of its ratings.
pub(super) struct OfStudy {
    pub(super) store: Store,
    pub(super) study: Study,
    /// By its name, with the study's scale of it.
    pub(super) dimension: Dimension,
    pub(super) which: Which,
}

impl Rated {
    /// Reads the file, or opens the database and finds the study.
    pub(super) async fn find(&self, data: &DataSettings) -> anyhow::Result<Found> {
        match (&self.file, &self.study) {
            (Some(file), _) => Ok(Found::File(read(file, self.raters.as_deref())?)),
            (None, Some(study)) => Ok(Found::Study(self.of_study(data, study).await?)),
            (None, None) => anyhow::bail!("name a FILE, or a study with --study"),
        }
    }

    async fn of_study(&self, data: &DataSettings, slug: &Slug) -> anyhow::Result<OfStudy> {
        let store = database::open(data).await?;
        let study = named(&store, slug).await?;
        let mut known = study.settings.dimensions.iter();
        let dimension = known.find(|known| known.name == self.dimension).cloned();
        Ok(OfStudy {
            store,
            study,
            dimension: dimension.unwrap_or_else(|| Dimension {
                name: self.dimension.clone(),
                ..Dimension::default()
            }),
            which: if self.in_work {
                Which::WithInWork
            } else {
                Which::HandedIn
            },
        })
    }
}

/// What people should know of a file before they take its figures as they are.
pub(super) fn warnings(of: &RatedFile) -> Vec<String> {
    let mut warnings: Vec<_> = of.warnings.iter().map(ToString::to_string).collect();
    warnings.extend(of.bad_rows.iter().map(|bad| format!("Left out: {bad}.")));
    warnings
}

fn read(path: &Path, raters: Option<&Path>) -> anyhow::Result<RatedFile> {
    let raters = raters.map(read_raters).transpose()?;
    formats::read_ratings(open(path)?, raters)
        .with_context(|| format!("{} was not read", path.display()))
}

/// Reads a file of raters.
pub(super) fn read_raters(path: &Path) -> anyhow::Result<Raters> {
    Raters::read(open(path)?).with_context(|| format!("{} was not read", path.display()))
}

fn open(path: &Path) -> anyhow::Result<BufReader<File>> {
    let file = File::open(path).with_context(|| format!("{} cannot be opened", path.display()))?;
    Ok(BufReader::new(file))
}
