//! The input of import jobs.

use domain::{
    ids::UploadId,
    study::{RaterKind, SourcePurpose, SystemKind},
};
use formats::ColumnMapping;
use serde::{Deserialize, Serialize};

use super::ImportChoices;

/// The kind of job that imports files.
pub const IMPORT: &str = "import";

/// What an import job is to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportJob {
    /// The files: one table, or texts that belong together.
    pub files: Vec<UploadId>,
    /// What they are called, for people.
    pub names: Vec<String>,
    /// The file of raters.
    pub raters: Option<UploadId>,
    /// How they are read.
    pub way: ReadOptions,
    /// How they are taken.
    pub manner: ImportOptions,
    /// What they hold.
    #[serde(default)]
    pub what: ImportKind,
    /// What was chosen of references and scores.
    #[serde(default)]
    pub choices: ImportChoices,
}

/// What files hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportKind {
    /// Sources, with outputs and ratings or without.
    #[default]
    Sources,
    /// References of sources that are there.
    References,
    /// Scores of outputs that are there.
    Scores,
}

/// How files are read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ReadOptions {
    /// Which column is what. Where something is mapped, a table is read by that alone.
    pub mapping: ColumnMapping,
    /// Whether `NAME.simp.N` of texts are outputs to judge, and not references.
    pub simplifications_as_outputs: bool,
}

/// How a file's rows are taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportOptions {
    /// What its sources are there for.
    pub purpose: SourcePurpose,
    /// What its raters are.
    pub raters: RaterKind,
    /// Whether nothing lands unless every row is good.
    pub strict: bool,
    /// What a person says systems are, by name. A column of the file comes before it, and a system
    /// that the study has stays what it is.
    #[serde(default)]
    pub kinds: Vec<(String, SystemKind)>,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            purpose: SourcePurpose::Main,
            raters: RaterKind::Imported,
            strict: false,
            kinds: vec![],
        }
    }
}
