//! Answers and how they travel: each names the one it supersedes, none is ever overwritten.

use serde::{Deserialize, Serialize};

use crate::{
    category::Category,
    edit::Edit,
    ids::{AnnotationId, OutputId},
    score::RatingScore,
};

/// One answer of an annotator, on its way to the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnnotationChange {
    /// Made by the browser: sending a change twice stores it once.
    pub id: AnnotationId,
    /// The answer that was current for this slot when the annotator gave this one.
    pub supersedes: Option<AnnotationId>,
    /// What it answers.
    pub slot: AnnotationSlot,
    /// The answer.
    pub answer: AnnotationAnswer,
}

/// What an answer answers. At most one answer to a slot is current.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnnotationSlot {
    /// Step 1: the group of an output.
    Category {
        /// Which output.
        output: OutputId,
    },
    /// Step 2: the edits of an output.
    Edits {
        /// Which output.
        output: OutputId,
    },
    /// Step 3: the score of an output on one dimension.
    Rating {
        /// Which output.
        output: OutputId,
        /// On what, such as `overall`.
        dimension: String,
    },
    /// A remark on an output.
    Note {
        /// Which output.
        output: OutputId,
    },
    /// Step 3: the order of all outputs, best first; a group's order is this one within the group.
    Order,
    /// Where the annotator is, so that they resume there.
    Progress,
}

/// What an annotator says. `None` takes an answer back: to the automatic one, or to no answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnnotationAnswer {
    /// The group of an output.
    Category(Option<Category>),
    /// All edits of an output.
    Edits(Option<Vec<Edit>>),
    /// The score of an output.
    Rating(Option<RatingScore>),
    /// A remark; empty for none.
    Note(String),
    /// Outputs, best first.
    Order(Option<Vec<OutputId>>),
    /// The step in work.
    Progress(AnnotationStep),
}

/// The three steps of Rank & Rate.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum AnnotationStep {
    /// Put each output in a group.
    #[default]
    Categorise,
    /// Correct the highlighted edits.
    Highlight,
    /// Order and score each group.
    Rate,
}

/// What the store made of a [`Change`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SaveOutcome {
    /// It is stored and current, or was so before.
    Saved {
        /// The change.
        id: AnnotationId,
    },
    /// Another answer became current meanwhile; nothing was stored.
    Conflict {
        /// The change.
        id: AnnotationId,
        /// What is current.
        current: Option<StoredAnswer>,
    },
    /// It cannot be stored, now or later; a sentence says why.
    Refused {
        /// The change.
        id: AnnotationId,
        /// For people.
        reason: String,
    },
}

/// An answer that is current in the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredAnswer {
    /// The change it came with.
    pub id: AnnotationId,
    /// What it answers.
    pub slot: AnnotationSlot,
    /// The answer.
    pub answer: AnnotationAnswer,
}
