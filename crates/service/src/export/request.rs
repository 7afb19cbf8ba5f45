//! The request of an export.

use formats::FormulaEscaping;
use store::rating_rows::RatingScope;

use super::{DatasetOptions, ExportFormat};

/// The options of an export.
#[derive(Debug, Clone)]
pub struct ExportRequest {
    /// The format.
    pub format: ExportFormat,
    /// The scope of the answers; alignments are never made from sources in progress.
    pub which: RatingScope,
    /// The dimension of the ratings in a SimpEval table; other formats have all.
    pub dimension: String,
    /// The treatment of cells that a spreadsheet would run as formulas.
    pub cells: FormulaEscaping,
    /// The edits from which alignments are made.
    pub edits: AlignmentEdits,
    /// The choices for the card of a dataset folder.
    pub dataset: DatasetOptions,
}

/// The edits from which alignments are made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AlignmentEdits {
    /// The edits of outputs that an annotator corrected.
    #[default]
    Corrected,
    /// Also the edits that an annotator left as they were.
    WithAccepted,
}

impl ExportRequest {
    /// Whether ratings on this dimension are included.
    pub(super) fn includes_dimension(&self, dimension: &str) -> bool {
        match self.format {
            ExportFormat::Jsonl
            | ExportFormat::Tidy
            | ExportFormat::Gold
            | ExportFormat::Dataset => true,
            ExportFormat::SimpevalPast | ExportFormat::Simpeval2022 => self.dimension == dimension,
            ExportFormat::Comparisons
            | ExportFormat::Answers
            | ExportFormat::Written
            | ExportFormat::Spans
            | ExportFormat::Thresh
            | ExportFormat::MetricScores
            | ExportFormat::Alignments => false,
        }
    }
}
