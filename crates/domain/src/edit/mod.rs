//! The changes of a system: the highlights of step 2.

pub mod corrections;
pub mod ops;
mod repair;
mod replacement;
mod shown;
pub mod unsure;
pub mod validate;

use serde::{Deserialize, Serialize};

pub use self::{repair::repair, replacement::find_replacement, shown::shown_edits};
use crate::span::Span;

/// The kind of an edit (paper 000, section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum EditKind {
    /// Words of the source without a counterpart: drawn as a red caret.
    Deletion,
    /// New or changed words of the output: drawn in bold.
    Paraphrase,
    /// An added sentence end: drawn as two vertical bars.
    Split,
}

impl EditKind {
    /// All kinds, in the order in which the interface lists them.
    pub const ALL: [Self; 3] = [Self::Deletion, Self::Paraphrase, Self::Split];

    /// The name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Deletion => "Deletion",
            Self::Paraphrase => "Paraphrase",
            Self::Split => "Split",
        }
    }
}

/// One edit, by ranges into the source and the output.
///
/// - *Deletion*: `source` holds the deleted stretches; `output` one empty span, the caret's place.
/// - *Paraphrase*: `output` holds the new or changed stretches; `source` what they replace, empty
///   where the words are an insertion.
/// - *Split*: `output` holds the added sentence end; `source` is empty, or the words that it replaces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct Edit {
    /// The kind of change.
    pub kind: EditKind,
    /// Stretches of the source, in order, without overlaps.
    pub source: Vec<Span>,
    /// Stretches of the output, in order, without overlaps.
    pub output: Vec<Span>,
    /// The aligner's confidence, 0 to 1; `None` if an annotator made or confirmed the edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

/// The threshold below which the aligner is unsure of an edit; a share, like [`Edit::confidence`].
///
/// On the gold alignments of MultiMWA Wiki, 31 % of the string grade's edits below the threshold
/// and 78 % of its others match the gold edits exactly (1,188 and 4,428 edits).
pub const UNSURE: f64 = 0.7;

impl Edit {
    /// Whether the aligner made it and is unsure of it. [`unsure::choose_unsure`] tells which of these are in
    /// doubt.
    #[must_use]
    pub fn is_unsure(&self) -> bool {
        self.confidence.is_some_and(|sure| sure < UNSURE)
    }

    /// Whether both are of the same kind with the same words, no matter who made them.
    #[must_use]
    pub fn is_same_change(&self, other: &Self) -> bool {
        self.kind == other.kind && self.source == other.source && self.output == other.output
    }

    /// The sort key among the edits of an output: by the first stretch of the output, then of the
    /// source.
    fn sort_key(&self) -> (Option<Span>, Option<Span>) {
        (self.output.first().copied(), self.source.first().copied())
    }
}

/// Sorts edits by their place in the output; a caret comes before an edit that begins at the same
/// place.
pub fn sort_edits(edits: &mut [Edit]) {
    edits.sort_by_key(Edit::sort_key);
}
