//! The file that lists datasets.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, ensure};
use serde::Deserialize;

use crate::cli::input_file::{read_text, shown};

/// The datasets to learn from. Paths are relative to the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DatasetList {
    /// The datasets, each `[[dataset]]`.
    #[serde(rename = "dataset", default)]
    pub(super) datasets: Vec<DatasetEntry>,
}

/// A dataset of ratings or of comparisons.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct DatasetEntry {
    /// The name in reports.
    pub(super) name: String,
    /// The file of ratings.
    pub(super) ratings: Option<PathBuf>,
    /// The file of comparisons of two outputs, with their texts.
    pub(super) comparisons: Option<PathBuf>,
    /// The columns of the ratings that hold fields, as `output=generation`.
    #[serde(default)]
    pub(super) map: Vec<String>,
    /// The dimensions that count, all by default.
    #[serde(default)]
    pub(super) dimensions: Vec<String>,
    /// The systems whose outputs people wrote.
    #[serde(default)]
    pub(super) human: Vec<String>,
    /// The references of the sources, for metrics that need some: a folder or a file.
    pub(super) references: Option<PathBuf>,
    /// The similarity from which a source without references takes those of the nearest text: 90%, or 0.9.
    pub(super) accept_similar: Option<String>,
}

impl DatasetEntry {
    /// The entry of a file of ratings, of which these dimensions count.
    pub(super) fn of_dimensions(path: &Path, dimensions: &[String]) -> Self {
        Self {
            name: path.display().to_string(),
            ratings: Some(path.to_owned()),
            comparisons: None,
            map: Vec::new(),
            dimensions: dimensions.to_vec(),
            human: Vec::new(),
            references: None,
            accept_similar: None,
        }
    }
}

impl DatasetList {
    /// Reads the list.
    ///
    /// # Errors
    /// The file cannot be read or is not a list of datasets, or an entry contradicts itself or another one.
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let shown = shown(path);
        let text = read_text(path).with_context(|| format!("{shown} cannot be opened"))?;
        let list: Self = toml::from_str(&text).with_context(|| {
            format!(
                "{shown} is not a list of datasets: write [[dataset]] with name and ratings (or comparisons) for each"
            )
        })?;
        ensure!(
            !list.datasets.is_empty(),
            "{shown} lists no dataset: write [[dataset]] with name and ratings (or comparisons) for each"
        );

        let mut names = HashSet::new();
        for entry in &list.datasets {
            let name = &entry.name;
            ensure!(!name.trim().is_empty(), "{shown}: a dataset has no name");
            ensure!(
                names.insert(name),
                "{shown} lists “{name}” twice: give each dataset a name of its own"
            );
            ensure!(
                entry.ratings.is_some() != entry.comparisons.is_some(),
                "{shown}: “{name}” needs either ratings or comparisons, the path of one file"
            );
            ensure!(
                entry.comparisons.is_none() || entry.map.is_empty(),
                "{shown}: “{name}” has comparisons, whose columns are not mapped: leave `map` out"
            );
            ensure!(
                entry.accept_similar.is_none() || entry.references.is_some(),
                "{shown}: “{name}” has accept-similar, but no references"
            );
        }

        Ok(list)
    }
}
