use domain::study::Dimension;
use formats::BadRow;
use serde::{Deserialize, Serialize};
use store::import::ImportCounts;

use super::ReferenceSummary;

/// How many bad rows a report lists; the rest is counted.
const LISTED: usize = 200;

/// How an import job ended that was able to read its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportOutcome {
    /// The good rows are in the study.
    Imported(ImportReport),
    /// Nothing is, since every row had to be good and some are not.
    Strict(ImportReport),
}

/// What came of an import.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ImportReport {
    /// What the file turned out to be.
    pub format: String,
    /// How many rows it has, bad ones included.
    pub rows: u64,
    /// What was not there before.
    pub new: ImportCounts,
    /// How many rows were left out.
    pub bad: u64,
    /// The first of them.
    pub bad_rows: Vec<BadRow>,
    /// How many numbers came without a rater: they are kept, and enter no figure.
    pub scores: u64,
    /// What people should know.
    pub notes: Vec<String>,
    /// How many scores metrics gave outputs, where the file holds such.
    #[serde(default)]
    pub metric_scores: u64,
    /// The dimensions that the study got.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dimensions: Vec<Dimension>,
    /// Of references and scores, which belong to what is there: how many rows found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<MatchedRowCounts>,
    /// Of references: how they were found, and which sources got none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub references: Option<ReferenceSummary>,
}

/// How many rows of a file belong to what is in the study.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchedRowCounts {
    /// Those that do.
    pub matched: u64,
    /// Those whose source or output is not there.
    pub unmatched: u64,
}

impl ImportReport {
    /// Counts a row that was left out, and lists it among the first.
    pub fn leave_out(&mut self, bad: BadRow) {
        self.bad += 1;
        if self.bad_rows.len() < LISTED {
            self.bad_rows.push(bad);
        }
    }
}
