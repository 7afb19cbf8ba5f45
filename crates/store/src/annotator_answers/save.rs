//! Storing changes.

use std::collections::HashMap;

use domain::{
    category::Category,
    ids::{AnnotationId, AssignmentId, OutputId, PersonId},
    random::SeededRandom,
    study::AssignmentState,
    work::{
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, SaveOutcome, StoredAnswer},
        order,
    },
};
use sqlx::{AnyConnection, Row};

use super::{
    own_assignment::{OwnAssignment, lock_own_assignment},
    validation::{AnswerContext, refusal_reason, repair_change},
};
use crate::{
    EventKind, Result, Store, answer_columns,
    assignments::{AssignmentRecord, lease_end, renew_lease},
    columns::{BindId, parse_text},
    discussions::open_questions,
    event, source_items, task,
};

impl Store {
    /// Stores an annotator's changes, in their order and all in one commit, and tells of each what
    /// came of it. A change that was stored before is saved; one under whose id another answer is stored is
    /// refused, because it is stored nowhere; one whose parent is no longer current is a conflict; in a
    /// closed study, and of a person who is no longer an annotator, each other one
    /// is refused with the reason. Renews the lease: unless another rater was given the source, one that ran
    /// out is still the annotator's. `None` where the person has no such assignment.
    ///
    /// # Errors
    /// When the database fails; then nothing is stored.
    pub async fn save_changes(
        &self,
        person: PersonId,
        assignment: AssignmentId,
        changes: &[AnnotationChange],
        now_ms: i64,
    ) -> Result<Option<Vec<SaveOutcome>>> {
        in_transaction!(self, |tx| {
            match lock_own_assignment(&mut tx, person, assignment).await? {
                None => None,
                Some(own) => {
                    let mut saving = AssignmentChanges::load(&mut tx, own, now_ms).await?;
                    let mut outcomes = Vec::with_capacity(changes.len());
                    for change in changes {
                        outcomes.push(saving.save(&mut tx, change).await?);
                    }
                    Some(outcomes)
                }
            }
        })
    }
}

/// Changes to one assignment being stored.
struct AssignmentChanges {
    place: AssignmentRecord,
    barred_reason: Option<&'static str>,
    context: AnswerContext,
    current: HashMap<AnnotationSlot, StoredAnswer>,
    /// The outputs that the lead gave back, of a source that was handed in.
    asked: Vec<OutputId>,
    /// The outputs in the order in which they were first shown.
    shown: Vec<OutputId>,
    now_ms: i64,
    /// The number of the study's newest event.
    event: i64,
}

impl AssignmentChanges {
    async fn load(tx: &mut AnyConnection, own: OwnAssignment, now_ms: i64) -> Result<Self> {
        let OwnAssignment {
            place,
            settings,
            barred_reason: barred,
        } = own;
        if place.state == AssignmentState::Open && barred.is_none() {
            renew_lease(tx, place.assignment, lease_end(&settings, now_ms)).await?;
        }
        let row = sqlx::query(
            "SELECT s.text, t.events, a.seed FROM assignment a
             JOIN source s ON s.id = a.source_id
             JOIN study t ON t.id = s.study_id
             WHERE a.id = $1",
        )
        .bind_id(place.assignment)
        .fetch_one(&mut *tx)
        .await?;
        let asked = match place.state {
            AssignmentState::HandedIn => open_questions(tx, place.assignment).await?,
            _ => vec![],
        };
        let items = source_items::load(tx, place.source).await?;
        let mut shown: Vec<_> = items.iter().map(|item| item.output).collect();
        let seed: i64 = row.try_get("seed")?;
        SeededRandom::new(seed.cast_unsigned()).shuffle(&mut shown);
        let answers = task::load_answers(tx, place.assignment).await?;
        Ok(Self {
            place,
            barred_reason: barred,
            context: AnswerContext {
                source: row.try_get("text")?,
                items,
                dimensions: settings.dimensions,
            },
            current: answers.into_iter().map(|a| (a.slot.clone(), a)).collect(),
            asked: asked.into_iter().map(|question| question.output).collect(),
            shown,
            now_ms,
            event: row.try_get("events")?,
        })
    }

    async fn save(
        &mut self,
        tx: &mut AnyConnection,
        change: &AnnotationChange,
    ) -> Result<SaveOutcome> {
        let id = change.id;
        let refused = |reason: &str| Ok(refusal(id, reason));
        let repaired = repair_change(&self.context, change);
        if let Some(stored) = StoredChange::load(tx, id).await? {
            return Ok(self.outcome_of_repeat(&stored, change, &repaired));
        }
        if let Some(reason) = self.barred_reason {
            return refused(reason);
        }
        match self.place.state {
            AssignmentState::Open => {}
            AssignmentState::HandedIn if self.asked.is_empty() => {
                return refused("The source was submitted: reopen it to change an answer.");
            }
            AssignmentState::HandedIn => {
                if !self.concerns_question(change) {
                    return refused("Only the output that the lead asks about can be changed.");
                }
            }
            AssignmentState::Skipped => return refused("The source was skipped."),
            AssignmentState::Released => {
                return refused("The source was taken back and is no longer yours.");
            }
        }
        let change = &repaired;
        if let Some(reason) = refusal_reason(&self.context, change) {
            return refused(&reason);
        }
        let current = self.current.get(&change.slot);
        // An annotator's place in the work is no answer to lose: the last one counts.
        if change.slot != AnnotationSlot::Progress && current.map(|c| c.id) != change.supersedes {
            return Ok(SaveOutcome::Conflict {
                id,
                current: current.cloned(),
            });
        }
        let before = current.map(|c| c.id);
        self.store(tx, change, before).await?;
        Ok(SaveOutcome::Saved { id })
    }

    /// Whether a change concerns nothing but the outputs that the lead gave back; an order, their places alone.
    fn concerns_question(&self, change: &AnnotationChange) -> bool {
        let order = match (&change.slot, &change.answer) {
            (AnnotationSlot::Progress, _) => return true,
            (_, AnnotationAnswer::Order(order)) => order,
            (slot, _) => return slot.output().is_some_and(|own| self.asked.contains(&own)),
        };
        let before = match self.current.get(&AnnotationSlot::Order).map(|c| &c.answer) {
            Some(AnnotationAnswer::Order(Some(order))) => order::complete_order(order, &self.shown),
            _ => self.shown.clone(),
        };
        let after = order.as_ref().unwrap_or(&self.shown);
        order::moves_only(&before, after, &self.asked, &|output| self.category(output))
    }

    /// The annotator's category of an output.
    fn category(&self, output: OutputId) -> Category {
        let own = self.current.get(&AnnotationSlot::Category { output });
        match own.map(|own| &own.answer) {
            Some(AnnotationAnswer::Category(Some(category))) => *category,
            _ => {
                let mut items = self.context.items.iter();
                let item = items.find(|item| item.output == output);
                item.map_or(Category::Paraphrase, |item| item.category)
            }
        }
    }

    /// The outcome of a change whose id is stored.
    fn outcome_of_repeat(
        &self,
        stored: &StoredChange,
        sent: &AnnotationChange,
        repaired: &AnnotationChange,
    ) -> SaveOutcome {
        let id = sent.id;
        if stored.assignment != Some(self.place.assignment) {
            refusal(id, "This change belongs to another source.")
        // Stored repaired, or as it was sent by a version that did not repair edits.
        } else if stored.is_same_as(repaired) || stored.is_same_as(sent) {
            SaveOutcome::Saved { id }
        } else {
            refusal(
                id,
                "The server has another answer under this one's number. Reload the page and give the \
                 answer again.",
            )
        }
    }

    async fn store(
        &mut self,
        tx: &mut AnyConnection,
        change: &AnnotationChange,
        before: Option<AnnotationId>,
    ) -> Result<()> {
        if let Some(before) = before {
            sqlx::query("UPDATE stored_annotation SET current = 0 WHERE id = $1")
                .bind_id(before)
                .execute(&mut *tx)
                .await?;
        }
        if let Some(kind) = EventKind::from_slot(&change.slot) {
            self.event = event::record(tx, self.place.study, kind, change.id, self.now_ms).await?;
        }
        self.insert(tx, change, before).await?;
        let stored = StoredAnswer {
            id: change.id,
            slot: change.slot.clone(),
            answer: change.answer.clone(),
        };
        self.current.insert(change.slot.clone(), stored);
        Ok(())
    }

    async fn insert(
        &self,
        tx: &mut AnyConnection,
        change: &AnnotationChange,
        before: Option<AnnotationId>,
    ) -> Result<()> {
        let (kind, output, dimension) = answer_columns::slot_columns(&change.slot);
        let scale = self
            .context
            .dimensions
            .iter()
            .find(|d| d.name == dimension)
            .map(|d| answer_columns::scale_text(d.scale));
        // An absent score goes as a whole number: see `bulk`.
        let score = match &change.answer {
            AnnotationAnswer::Rating(score) => score.map(|score| i64::from(score.get())),
            _ => None,
        };
        sqlx::query(
            "INSERT INTO stored_annotation (id, study_id, source_id, output_id, rater_id, assignment_id,
             kind, dimension, value, scale, body, supersedes, current, event, recorded_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CAST($9 AS DOUBLE PRECISION), $10, $11, $12, 1,
             $13, $14)",
        )
        .bind_id(change.id)
        .bind_id(self.place.study)
        .bind_id(self.place.source)
        .bind_id(output)
        .bind_id(self.place.rater)
        .bind_id(self.place.assignment)
        .bind(kind)
        .bind(dimension)
        .bind(score)
        .bind(scale)
        .bind(answer_columns::body(&change.answer))
        .bind_id(before)
        .bind(self.event)
        .bind(self.now_ms)
        .execute(tx)
        .await?;
        Ok(())
    }
}

fn refusal(id: AnnotationId, reason: &str) -> SaveOutcome {
    SaveOutcome::Refused {
        id,
        reason: reason.to_owned(),
    }
}

/// A stored change, as its columns hold it: texts are compared, because a number in JSON may differ from
/// itself in its last digit once it has been read and written.
struct StoredChange {
    /// `None` where it came with a file.
    assignment: Option<AssignmentId>,
    kind: String,
    output: Option<String>,
    dimension: String,
    score: Option<f64>,
    body: Option<String>,
    supersedes: Option<String>,
}

impl StoredChange {
    /// The change of this id; `None` where none is stored.
    async fn load(tx: &mut AnyConnection, id: AnnotationId) -> Result<Option<Self>> {
        let row = sqlx::query(
            "SELECT assignment_id, kind, output_id, dimension, value, body, supersedes
             FROM annotation WHERE id = $1",
        )
        .bind_id(id)
        .fetch_optional(tx)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let assignment: Option<&str> = row.try_get("assignment_id")?;
        let assignment = assignment.map(|text| parse_text("annotation", id, "assignment_id", text));
        Ok(Some(Self {
            assignment: assignment.transpose()?,
            kind: row.try_get("kind")?,
            output: row.try_get("output_id")?,
            dimension: row.try_get("dimension")?,
            score: row.try_get("value")?,
            body: row.try_get("body")?,
            supersedes: row.try_get("supersedes")?,
        }))
    }

    /// Whether it is this change: the same answer to the same slot in place of the same one.
    fn is_same_as(&self, change: &AnnotationChange) -> bool {
        let (kind, output, dimension) = answer_columns::slot_columns(&change.slot);
        let score = match &change.answer {
            AnnotationAnswer::Rating(score) => score.map(|score| f64::from(score.get())),
            _ => None,
        };
        // Of an annotator's place in the work the last one counts, whatever it superseded.
        let same_parent = change.slot == AnnotationSlot::Progress
            || self.supersedes == change.supersedes.map(|id| id.to_string());
        self.kind == kind
            && self.output == output.map(|id| id.to_string())
            && self.dimension == dimension
            && self.score == score
            && self.body == answer_columns::body(&change.answer)
            && same_parent
    }
}
