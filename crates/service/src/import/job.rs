//! The input of import jobs.

use domain::{
    ids::UploadId,
    study::{RaterKind, SourcePurpose, SystemKind},
};
use formats::{ColumnMapping, InputOptions};
use serde::{Deserialize, Serialize};

use super::ImportChoices;

/// The input of an import job. It is stored as JSON; the serialised names are older than the fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportJob {
    /// The files: one table, or texts that belong together.
    pub files: Vec<UploadId>,
    /// The names of the files, for display.
    pub names: Vec<String>,
    /// The file that names the rater of each slot.
    pub raters: Option<UploadId>,
    /// The options for reading the files.
    #[serde(rename = "way")]
    pub read_options: ReadOptions,
    /// The options for importing their rows.
    #[serde(rename = "manner")]
    pub import_options: ImportOptions,
    /// The kind of the files' contents.
    #[serde(rename = "what", default)]
    pub kind: ImportKind,
    /// The choices for references and scores.
    #[serde(default)]
    pub choices: ImportChoices,
}

/// The contents of files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportKind {
    /// Sources, with outputs and ratings or without.
    #[default]
    Sources,
    /// References of sources that the study has.
    References,
    /// Scores of outputs that the study has.
    Scores,
}

/// Options for reading files.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ReadOptions {
    /// The meaning of columns. If any column is mapped, a table is read by the mapping alone.
    pub mapping: ColumnMapping,
    /// Whether text files `NAME.simp.N` are outputs to judge rather than references.
    pub simplifications_as_outputs: bool,
    /// The encoding, separator and sheet, if the user states them.
    #[serde(default, skip_serializing_if = "InputOptions::is_empty")]
    pub input: InputOptions,
}

/// Options for importing a file's rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportOptions {
    /// The purpose of its sources.
    pub purpose: SourcePurpose,
    /// The kind of its raters.
    pub raters: RaterKind,
    /// Whether the import fails unless every row is good.
    pub strict: bool,
    /// The kinds of systems, by name, that the user states. A column of the file takes precedence, and a
    /// system that the study already has keeps its kind.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_jobs_keep_their_serialised_names() {
        let job = ImportJob {
            files: vec![],
            names: vec![],
            raters: None,
            read_options: ReadOptions::default(),
            import_options: ImportOptions::default(),
            kind: ImportKind::Scores,
            choices: ImportChoices::default(),
        };
        let json = serde_json::to_value(&job).unwrap();

        let keys = json.as_object().unwrap().keys().map(String::as_str);
        let expect = [
            "choices", "files", "manner", "names", "raters", "way", "what",
        ];
        let mut keys: Vec<_> = keys.collect();
        keys.sort_unstable();

        assert_eq!(keys, expect);
        assert_eq!(json["what"], "scores");
        assert_eq!(serde_json::from_value::<ImportJob>(json).unwrap(), job);
    }
}
