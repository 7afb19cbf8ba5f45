//! Storing changes.

use std::collections::HashMap;

use domain::{
    ids::{AnnotationId, AssignmentId, PersonId},
    study::AssignmentState,
    work::{
        activity::{ActiveDuration, MOST_TABS},
        change::{
            AnnotationAnswer, AnnotationChange, AnnotationSlot, AnnotationStep, SaveOutcome,
            StoredAnswer,
        },
    },
};
use sqlx::{AnyConnection, Row};
use uuid::Uuid;

use super::validation::{AnswerContext, refusal_reason, repair_change};
use crate::{
    Error, EventKind, Result, Store, answer_columns,
    assignments::{AssignmentRecord, lease_end, renew_lease},
    columns::{BindId, parse_text},
    event, lock,
    membership::barred_reason,
    source_items, task,
};

impl Store {
    /// Stores an annotator's changes, in their order and all in one commit, and tells of each what
    /// came of it. A change that was stored before is saved; one whose parent is no longer current
    /// is a conflict; in a closed study, and of a person who is no longer an annotator, each other one
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

    /// Stores how long a tab of the annotator's browser was active in a step: its total so far, so
    /// that a report may be lost, come late or twice. Renews the lease. `None` where the person has
    /// no such assignment. Not counted is what comes after it was handed in, what comes of a person
    /// who is no longer an annotator of the study, and any tab past the first [`MOST_TABS`].
    ///
    /// # Errors
    /// When the database fails.
    pub async fn save_activity(
        &self,
        person: PersonId,
        assignment: AssignmentId,
        tab: Uuid,
        spent: &[(AnnotationStep, u64)],
        now_ms: i64,
    ) -> Result<Option<()>> {
        in_transaction!(self, |tx| {
            match lock_own_assignment(&mut tx, person, assignment).await? {
                None => None,
                Some(own) => {
                    if own.place.state == AssignmentState::Open && own.barred_reason.is_none() {
                        renew_lease(&mut tx, assignment, lease_end(&own.settings, now_ms)).await?;
                        if has_room(&mut tx, assignment, tab).await? {
                            let longest = max_step_ms(&mut tx, assignment, now_ms).await?;
                            for (step, ms) in spent {
                                let ms = ActiveDuration::at_most(*ms, longest);
                                store_activity(&mut tx, assignment, tab, *step, ms).await?;
                            }
                        }
                    }
                    Some(())
                }
            }
        })
    }
}

/// A person's own assignment, while its study is held.
pub(super) struct OwnAssignment {
    pub(super) place: AssignmentRecord,
    pub(super) settings: domain::study::StudySettings,
    /// Why the person may not judge in the study at this moment.
    pub(super) barred_reason: Option<&'static str>,
}

/// The person's own assignment, while its study is held, and whether they may judge there now.
pub(super) async fn lock_own_assignment(
    tx: &mut AnyConnection,
    person: PersonId,
    assignment: AssignmentId,
) -> Result<Option<OwnAssignment>> {
    let place = crate::assignments::load_assignment(tx, assignment).await?;
    // Nobody waits for a study because of a request for what is not theirs.
    let place = place.filter(|place| place.person == Some(person));
    let Some(AssignmentRecord { study, .. }) = place else {
        return Ok(None);
    };
    let locked_study = lock::lock_study(tx, study).await?;
    // Asked while the study is held: a lead who removes the person waits, or has done so before.
    let barred = if locked_study.is_closed {
        Some(lock::CLOSED)
    } else {
        barred_reason(tx, study, person).await?
    };
    let place = crate::assignments::load_assignment(tx, assignment).await?;
    Ok(place.map(|place| OwnAssignment {
        place,
        settings: locked_study.settings,
        barred_reason: barred,
    }))
}

/// As [`own`], for what changes the assignment itself.
///
/// # Errors
/// Refused where the study is closed, or the person is no longer an annotator of it, withdrew or has
/// not consented.
pub(super) async fn lock_own_as_annotator(
    tx: &mut AnyConnection,
    person: PersonId,
    assignment: AssignmentId,
) -> Result<Option<(AssignmentRecord, domain::study::StudySettings)>> {
    match lock_own_assignment(tx, person, assignment).await? {
        Some(OwnAssignment {
            barred_reason: Some(reason),
            ..
        }) => Err(Error::Refused(reason.to_owned())),
        own => Ok(own.map(|own| (own.place, own.settings))),
    }
}

/// Changes to one assignment being stored.
struct AssignmentChanges {
    place: AssignmentRecord,
    barred_reason: Option<&'static str>,
    context: AnswerContext,
    current: HashMap<AnnotationSlot, StoredAnswer>,
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
            "SELECT s.text, t.events FROM source s JOIN study t ON t.id = s.study_id
             WHERE s.id = $1",
        )
        .bind_id(place.source)
        .fetch_one(&mut *tx)
        .await?;
        let answers = task::load_answers(tx, place.assignment).await?;
        Ok(Self {
            place,
            barred_reason: barred,
            context: AnswerContext {
                source: row.try_get("text")?,
                items: source_items::load(tx, place.source).await?,
                dimensions: settings.dimensions,
            },
            current: answers.into_iter().map(|a| (a.slot.clone(), a)).collect(),
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
        let refused = |reason: &str| {
            Ok(SaveOutcome::Refused {
                id,
                reason: reason.to_owned(),
            })
        };
        match assignment_of_change(tx, id).await? {
            Some(Some(owner)) if owner == self.place.assignment => {
                return Ok(SaveOutcome::Saved { id });
            }
            Some(_) => return refused("This change belongs to another source."),
            None => {}
        }
        if let Some(reason) = self.barred_reason {
            return refused(reason);
        }
        match self.place.state {
            AssignmentState::Open => {}
            AssignmentState::HandedIn => {
                return refused("The source was handed in: reopen it to change an answer.");
            }
            AssignmentState::Skipped => return refused("The source was skipped."),
            AssignmentState::Released => {
                return refused("The source was taken back and is no longer yours.");
            }
        }
        let change = &repair_change(&self.context, change);
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

/// The assignment that a stored change belongs to: `None` where no such change is stored, `Some(None)`
/// where it came with a file.
async fn assignment_of_change(
    tx: &mut AnyConnection,
    id: AnnotationId,
) -> Result<Option<Option<AssignmentId>>> {
    let row = sqlx::query("SELECT assignment_id FROM annotation WHERE id = $1")
        .bind_id(id)
        .fetch_optional(tx)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let assignment: Option<&str> = row.try_get("assignment_id")?;
    let assignment = assignment.map(|text| parse_text("annotation", id, "assignment_id", text));
    Ok(Some(assignment.transpose()?))
}

/// Whether the tab's time is stored: it has reported before, or few enough others have.
async fn has_room(tx: &mut AnyConnection, assignment: AssignmentId, tab: Uuid) -> Result<bool> {
    let row = sqlx::query(
        "SELECT COUNT(DISTINCT tab) AS tabs FROM activity WHERE assignment_id = $1 AND tab <> $2",
    )
    .bind_id(assignment)
    .bind_id(tab)
    .fetch_one(tx)
    .await?;
    Ok(row.try_get::<i64, _>("tabs")? < MOST_TABS)
}

/// The longest that a step can have taken: the time since the assignment was given, in milliseconds.
async fn max_step_ms(tx: &mut AnyConnection, assignment: AssignmentId, now_ms: i64) -> Result<u64> {
    let row = sqlx::query("SELECT created_at FROM assignment WHERE id = $1")
        .bind_id(assignment)
        .fetch_one(tx)
        .await?;
    let given_at: i64 = row.try_get("created_at")?;
    Ok(u64::try_from(now_ms.saturating_sub(given_at)).unwrap_or(0))
}

async fn store_activity(
    tx: &mut AnyConnection,
    assignment: AssignmentId,
    tab: Uuid,
    step: AnnotationStep,
    active: ActiveDuration,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO activity (assignment_id, tab, step, active_ms) VALUES ($1, $2, $3, $4)
         ON CONFLICT (assignment_id, tab, step) DO UPDATE SET active_ms = excluded.active_ms
         WHERE activity.active_ms < excluded.active_ms",
    )
    .bind_id(assignment)
    .bind_id(tab)
    .bind(match step {
        AnnotationStep::Categorise => "categorise",
        AnnotationStep::Highlight => "highlight",
        AnnotationStep::Rate => "rate",
    })
    .bind(active.get())
    .execute(tx)
    .await?;
    Ok(())
}
