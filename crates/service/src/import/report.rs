use domain::study::Dimension;
use formats::{BadRow, InputDescription};
use serde::{Deserialize, Serialize};
use store::import::ImportCounts;

use super::ReferenceSummary;

/// The most bad rows that a report lists; the rest are only counted.
pub(super) const MAX_LISTED: usize = 200;

/// The result of an import job that could read its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportOutcome {
    /// The good rows were imported.
    Imported(ImportReport),
    /// Nothing was imported, because every row had to be good and some are not.
    Strict(ImportReport),
}

/// The report of an import.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ImportReport {
    /// The format that was recognised.
    pub format: String,
    /// The number of rows, bad ones included.
    pub rows: u64,
    /// Counts of what the study did not have before.
    pub new: ImportCounts,
    /// The number of rows that were left out.
    pub bad: u64,
    /// The first of these rows.
    pub bad_rows: Vec<BadRow>,
    /// The number of scores without a rater, which are stored but enter no figure.
    pub scores: u64,
    /// Sentences for the user.
    pub notes: Vec<String>,
    /// The number of metric scores of outputs, for a file of scores.
    #[serde(default)]
    pub metric_scores: u64,
    /// The dimensions that were created.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dimensions: Vec<Dimension>,
    /// For references and scores: the numbers of rows with and without a source or output in the study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<MatchedRowCounts>,
    /// For references: how they were matched, and the sources without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub references: Option<ReferenceSummary>,
}

/// The numbers of rows with and without a source or output in the study.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct MatchedRowCounts {
    /// Rows whose source or output the study has.
    pub matched: u64,
    /// Rows whose source or output it does not have.
    pub unmatched: u64,
}

/// The remarks on the sheet of a workbook, as sentences of a report.
pub(super) fn sheet_notes(input: &InputDescription) -> Vec<String> {
    input.sheet_notes.iter().map(ToString::to_string).collect()
}

impl ImportReport {
    /// Counts a row that was left out, and lists it if it is among the first.
    pub fn leave_out(&mut self, bad: BadRow) {
        self.bad += 1;
        if self.bad_rows.len() < MAX_LISTED {
            self.bad_rows.push(bad);
        }
    }
}
