//! What the browser is given to judge.

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
    /// Which assignment.
    pub assignment: AssignmentId,
    /// How far it has come; only an open one takes changes.
    pub state: AssignmentState,
    /// Which study.
    pub study: StudyId,
    /// Its short name.
    pub slug: Slug,
    /// Its name for people.
    pub study_name: String,
    /// What the source is there for.
    pub purpose: SourcePurpose,
    /// The number of this source among those that the annotator was given for the same purpose, from
    /// 1.
    pub number: u32,
    /// The source's text.
    pub source: String,
    /// What outputs are rated on; the first ranks.
    pub dimensions: Vec<Dimension>,
    /// The outputs, one an identical text, in the order in which they are first shown.
    pub items: Vec<TaskItem>,
    /// The current answers.
    pub answers: Vec<StoredAnswer>,
    /// Milliseconds of activity stored so far.
    pub active_ms: u64,
}

/// An output to judge. Outputs with the same text are one item: judged once, the answers count for
/// each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskItem {
    /// The output that stands for all with this text.
    pub output: OutputId,
    /// How many outputs have this text, at least 1.
    pub copies: u32,
    /// What is judged.
    pub text: String,
    /// The automatic group.
    pub category: Category,
    /// Why, in words for people.
    pub reason: String,
    /// The automatic edits.
    pub edits: Vec<Edit>,
    /// The expected answers, where the annotator may see them (tutorial; training once handed in).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<ExpectedAnswer>,
}

/// What a lead expects of an answer to a tutorial, training or qualification item.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ExpectedAnswer {
    /// The group.
    pub category: Option<Category>,
    /// The score on the first dimension.
    pub rating: Option<i32>,
    /// How far a score may lie from it, in points.
    pub tolerance: i32,
    /// Why, for the annotator.
    pub explanation: String,
}
