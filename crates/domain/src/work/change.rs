//! Answers and their transfer: each names the one that it supersedes; none is ever overwritten.

use serde::{Deserialize, Serialize};

use crate::{
    category::Category,
    comparison::ComparisonChoice,
    edit::Edit,
    ids::{AnnotationId, DiscussionId, OutputId},
    questions::QuestionAnswer,
    score::RatingScore,
    span_marks::SpanMark,
    work::unjudged::UnjudgedReason,
};

pub use crate::protocol::AnnotationStep;

/// One answer of an annotator, as it is sent to the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnnotationChange {
    /// The id, created by the browser: sending a change twice stores it once.
    pub id: AnnotationId,
    /// The answer that was current for this slot when the annotator gave this one.
    pub supersedes: Option<AnnotationId>,
    /// The slot that it answers.
    pub slot: AnnotationSlot,
    /// The answer.
    pub answer: AnnotationAnswer,
}

/// The question that an answer belongs to. At most one answer to a slot is current.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnnotationSlot {
    /// Step 1: the group of an output.
    Category {
        /// The output.
        output: OutputId,
    },
    /// Step 2: the edits of an output.
    Edits {
        /// The output.
        output: OutputId,
    },
    /// The spans of an output and of the source that are marked for it.
    Marks {
        /// The output.
        output: OutputId,
    },
    /// Step 3: the score of an output on one dimension.
    Rating {
        /// The output.
        output: OutputId,
        /// The dimension, such as `overall`.
        dimension: String,
    },
    /// In place of all scores of an output: the reason why it has none.
    Unjudged {
        /// The output.
        output: OutputId,
    },
    /// A remark on an output.
    Note {
        /// The output.
        output: OutputId,
    },
    /// A reply to a lead's question about an output.
    Reply {
        /// The output.
        output: OutputId,
        /// The question.
        question: DiscussionId,
    },
    /// Step 3: the order of all outputs, best first; a group's order is this one within the group.
    Order,
    /// The choice among outputs that are compared, on a dimension.
    Comparison {
        /// The outputs, in the order of their ids.
        outputs: Vec<OutputId>,
        /// The dimension.
        dimension: String,
    },
    /// A question about an output or the source.
    Question {
        /// The output; `None` for a question about the source.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<OutputId>,
        /// The key of the question.
        key: String,
    },
    /// The simplification of the source that the annotator writes.
    Text,
    /// The annotator's current step, to resume there.
    Progress,
}

impl AnnotationSlot {
    /// The empty answer to a slot.
    #[must_use]
    pub const fn unanswered(&self) -> AnnotationAnswer {
        match self {
            Self::Category { .. } => AnnotationAnswer::Category(None),
            Self::Edits { .. } => AnnotationAnswer::Edits(None),
            Self::Marks { .. } => AnnotationAnswer::Marks(None),
            Self::Rating { .. } => AnnotationAnswer::Rating(None),
            Self::Unjudged { .. } => AnnotationAnswer::Unjudged(None),
            Self::Note { .. } | Self::Reply { .. } => AnnotationAnswer::Note(String::new()),
            Self::Order => AnnotationAnswer::Order(None),
            Self::Comparison { .. } => AnnotationAnswer::Comparison(None),
            Self::Question { .. } => AnnotationAnswer::Question(None),
            Self::Text => AnnotationAnswer::Text(None),
            Self::Progress => AnnotationAnswer::Progress(AnnotationStep::Categorise),
        }
    }

    /// The step in which it is answered.
    #[must_use]
    pub const fn step(&self) -> Option<AnnotationStep> {
        match self {
            Self::Category { .. } => Some(AnnotationStep::Categorise),
            Self::Edits { .. } | Self::Marks { .. } => Some(AnnotationStep::Highlight),
            Self::Rating { .. }
            | Self::Unjudged { .. }
            | Self::Note { .. }
            | Self::Reply { .. }
            | Self::Order
            | Self::Comparison { .. } => Some(AnnotationStep::Rate),
            Self::Question { .. } => Some(AnnotationStep::Answer),
            Self::Text => Some(AnnotationStep::Write),
            Self::Progress => None,
        }
    }

    /// The output that it concerns, if any.
    #[must_use]
    pub const fn output(&self) -> Option<OutputId> {
        match self {
            Self::Category { output }
            | Self::Edits { output }
            | Self::Marks { output }
            | Self::Rating { output, .. }
            | Self::Unjudged { output }
            | Self::Note { output }
            | Self::Reply { output, .. } => Some(*output),
            Self::Question { output, .. } => *output,
            Self::Order | Self::Comparison { .. } | Self::Text | Self::Progress => None,
        }
    }
}

/// An annotator's answer. `None` withdraws it: the automatic answer applies again, or none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnnotationAnswer {
    /// The group of an output.
    Category(Option<Category>),
    /// All edits of an output.
    Edits(Option<Vec<Edit>>),
    /// All marked spans of an output; an empty list says that there is nothing to mark.
    Marks(Option<Vec<SpanMark>>),
    /// The score of an output.
    Rating(Option<RatingScore>),
    /// The reason why an output cannot be judged. It never has scores at the same time.
    Unjudged(Option<UnjudgedReason>),
    /// A remark, or a reply; empty for none.
    Note(String),
    /// Outputs, best first.
    Order(Option<Vec<OutputId>>),
    /// The choice among the outputs of a comparison.
    Comparison(Option<ComparisonChoice<OutputId>>),
    /// The answer to a question.
    Question(Option<QuestionAnswer>),
    /// The simplification of the source; `None` until the annotator changes or accepts the text that they begin with.
    Text(Option<String>),
    /// The current step.
    Progress(AnnotationStep),
}

/// The store's response to an [`AnnotationChange`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SaveOutcome {
    /// It is stored and current, or was stored before.
    Saved {
        /// The change.
        id: AnnotationId,
    },
    /// Another answer became current meanwhile; nothing was stored.
    Conflict {
        /// The change.
        id: AnnotationId,
        /// The current answer.
        current: Option<StoredAnswer>,
    },
    /// It cannot be stored, now or later; a sentence gives the reason.
    Refused {
        /// The change.
        id: AnnotationId,
        /// The reason, for the annotator.
        reason: String,
    },
}

/// An answer that is current in the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredAnswer {
    /// The change it came with.
    pub id: AnnotationId,
    /// The slot that it answers.
    pub slot: AnnotationSlot,
    /// The answer.
    pub answer: AnnotationAnswer,
}
