//! The task that the browser gets.

use serde::{Deserialize, Serialize};

use crate::{
    category::Category,
    edit::Edit,
    ids::{AssignmentId, OutputId, StudyId},
    study::{AssignmentState, Dimension, Slug, SourcePurpose},
    work::change::StoredAnswer,
};

/// One source with its outputs, as one annotator sees it: systems are not named, and the outputs
/// come shuffled by the assignment's stored seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnnotationTask {
    /// The assignment.
    pub assignment: AssignmentId,
    /// Its state; only an open one accepts changes.
    pub state: AssignmentState,
    /// The study.
    pub study: StudyId,
    /// The study's short name.
    pub slug: Slug,
    /// The study's name.
    pub study_name: String,
    /// The purpose of the source.
    pub purpose: SourcePurpose,
    /// The number of this source among the annotator's sources of the same purpose, from
    /// 1.
    pub number: u32,
    /// The source's text.
    pub source: String,
    /// The dimensions on which outputs are rated; the first ranks.
    pub dimensions: Vec<Dimension>,
    /// The outputs, one for each distinct text, in the order in which they are first shown.
    pub items: Vec<TaskItem>,
    /// The current answers.
    pub answers: Vec<StoredAnswer>,
    /// Milliseconds of activity stored so far.
    pub active_ms: u64,
}

/// An output to rate. Outputs with the same text are one item: it is rated once, and the answers
/// count for each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskItem {
    /// The output that represents all with this text.
    pub output: OutputId,
    /// The number of outputs with this text, at least 1.
    pub copies: u32,
    /// The text.
    pub text: String,
    /// The automatic category.
    pub category: Category,
    /// The reason for the category, in words.
    pub reason: String,
    /// The automatic edits.
    pub edits: Vec<Edit>,
    /// The expected answers, if the annotator may see them (tutorial; training once handed in).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<ExpectedAnswer>,
}

/// The lead's expected answer to a tutorial, training or qualification item.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ExpectedAnswer {
    /// The category.
    pub category: Option<Category>,
    /// The score on the first dimension.
    pub rating: Option<i32>,
    /// The tolerance for the score, in points.
    pub tolerance: i32,
    /// The explanation for the annotator.
    pub explanation: String,
}
