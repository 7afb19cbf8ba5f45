//! Changes that are stored already.

use std::collections::HashMap;

use domain::{
    ids::{AnnotationId, AssignmentId},
    work::change::{AnnotationAnswer, AnnotationChange, AnnotationSlot},
};
use sqlx::AnyConnection;

use crate::{
    Result,
    answer_columns::{self, SlotColumns},
    bulk,
    columns::{BindId, read_rows},
};

/// A stored change as its columns hold it. Answers are compared as text, because a number in JSON
/// may differ in its last digit after it was read and written.
pub(super) struct StoredChange {
    /// `None` if it came with a file.
    pub(super) assignment: Option<AssignmentId>,
    kind: String,
    output: Option<String>,
    dimension: String,
    compared: String,
    score: Option<f64>,
    body: Option<String>,
    supersedes: Option<String>,
}

impl StoredChange {
    /// Loads the stored changes that have the ids of the given ones.
    pub(super) async fn load<'c>(
        tx: &mut AnyConnection,
        changes: impl Iterator<Item = &'c AnnotationChange>,
    ) -> Result<HashMap<AnnotationId, Self>> {
        let ids: Vec<_> = changes.map(|change| change.id).collect();
        let query =
            "SELECT a.id, a.assignment_id, a.kind, a.output_id, a.dimension, a.compared, a.value,
                            a.body, a.supersedes
                     FROM keys k JOIN stored_annotation a ON a.id = k.id";
        let rows = bulk::select(tx, "id", query, &ids, |query, id| query.bind_id(id)).await?;

        read_rows("annotation", &rows, |row| {
            let stored = Self {
                assignment: row.parse_optional("assignment_id")?,
                kind: row.get("kind")?,
                output: row.get("output_id")?,
                dimension: row.get("dimension")?,
                compared: row.get("compared")?,
                score: row.get("value")?,
                body: row.get("body")?,
                supersedes: row.get("supersedes")?,
            };
            Ok((row.parse("id")?, stored))
        })
    }

    /// A change as it will be stored.
    pub(super) fn new(
        assignment: AssignmentId,
        change: &AnnotationChange,
        before: Option<AnnotationId>,
    ) -> Self {
        let slot = SlotColumns::new(&change.slot);
        Self {
            assignment: Some(assignment),
            kind: slot.kind.to_owned(),
            output: slot.output.map(|id| id.to_string()),
            dimension: slot.dimension.into_owned(),
            compared: slot.compared,
            score: score_of(change).map(f64::from),
            body: answer_columns::body(&change.answer),
            supersedes: before.map(|id| id.to_string()),
        }
    }

    /// Whether it is the same change: the same answer to the same slot, superseding the same
    /// answer.
    pub(super) fn is_same_as(&self, change: &AnnotationChange) -> bool {
        let slot = SlotColumns::new(&change.slot);
        // Only the last position in the work counts, whatever it superseded.
        let same_parent = change.slot == AnnotationSlot::Progress
            || self.supersedes == change.supersedes.map(|id| id.to_string());
        self.kind == slot.kind
            && self.output == slot.output.map(|id| id.to_string())
            && self.dimension == slot.dimension
            && self.compared == slot.compared
            && self.score == score_of(change).map(f64::from)
            && self.body == answer_columns::body(&change.answer)
            && same_parent
    }
}

/// The score of a rating; `None` if it was taken back, and for other answers.
pub(super) fn score_of(change: &AnnotationChange) -> Option<i32> {
    match &change.answer {
        AnnotationAnswer::Rating(score) => score.map(|score| score.get()),
        _ => None,
    }
}
