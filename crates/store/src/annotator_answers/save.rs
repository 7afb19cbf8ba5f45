//! Storing a group of saves: first everything that its changes need is read, then each change's
//! outcome is decided, then everything is stored.

use std::collections::{BTreeSet, HashMap};

use domain::{
    ids::{AnnotationId, AssignmentId, StudyId},
    study::AssignmentState,
    work::change::{AnnotationChange, AnnotationSlot, SaveOutcome, StoredAnswer},
};
use sqlx::AnyConnection;

use super::{
    held_assignment::{HeldAssignment, SourceOutputs, load_current, load_outputs, load_questions},
    new_rows::{NewAnswer, NewRows},
    save_queue::{SaveRequest, SaveResponse},
    stored_change::StoredChange,
    validation::{AnswerContext, JudgedOutput, exclusion_reason, refusal_reason, repair_change},
};
use crate::{
    EventKind, Result, Store, answer_columns,
    assignments::{lease_end, load_assignments},
    event::NumberedEvent,
    lock::{self, LockedStudy},
};

/// A lease is renewed once it has lost this much, not with every answer.
const LEASE_STEP_MS: i64 = 60_000;

/// Stores all requests in one commit, in their order. Returns a response for each.
pub(super) async fn save_group(
    store: &Store,
    requests: &[SaveRequest],
) -> Result<Vec<SaveResponse>> {
    in_transaction!(store, |tx| {
        let (mut group, requests) = SaveGroup::load(&mut tx, requests).await?;
        let responses: Vec<_> = requests.iter().map(|request| group.save(request)).collect();
        group.new.store(&mut tx).await?;
        responses
    })
}

/// The requests of one transaction: the data that they need and the rows that they add.
struct SaveGroup {
    /// The studies, which are held until the commit.
    studies: HashMap<StudyId, LockedStudy>,
    assignments: HashMap<AssignmentId, HeldAssignment>,
    outputs: SourceOutputs,
    /// The stored changes that have the ids of changes of the group.
    stored: HashMap<AnnotationId, StoredChange>,
    new: NewRows,
}

impl SaveGroup {
    /// Loads what the requests need, and returns them with the stored ids of outputs.
    async fn load(
        tx: &mut AnyConnection,
        requests: &[SaveRequest],
    ) -> Result<(Self, Vec<SaveRequest>)> {
        let asked: BTreeSet<_> = requests.iter().map(|request| request.assignment).collect();
        let mut records = load_assignments(tx, &Vec::from_iter(asked)).await?;
        // A request for another person's assignment must not wait for a study.
        records.retain(|record| {
            requests.iter().any(|request| {
                request.assignment == record.assignment && Some(request.person) == record.person
            })
        });

        // In a fixed order, so that two transactions cannot deadlock.
        let held: BTreeSet<_> = records.iter().map(|record| record.study).collect();
        let mut studies = HashMap::new();
        for study in held {
            studies.insert(study, lock::lock_study(tx, study).await?);
        }

        let mut assignments = HeldAssignment::load(tx, records).await?;
        let requests = reveal_outputs(requests, &assignments);
        load_current(tx, &mut assignments, &studies, &requests).await?;
        load_questions(tx, &mut assignments, &requests).await?;

        let changes = requests.iter().flat_map(|request| &request.changes);
        let group = Self {
            outputs: load_outputs(tx, &assignments, &requests).await?,
            stored: StoredChange::load(tx, changes).await?,
            studies,
            assignments,
            new: NewRows::default(),
        };
        Ok((group, requests))
    }

    /// Decides the outcome of a request and collects what it stores.
    fn save(&mut self, request: &SaveRequest) -> SaveResponse {
        let open = self.assignments.get_mut(&request.assignment)?;
        if open.of.person != Some(request.person) {
            return None;
        }

        let outputs = self.outputs.get(&open.of.source);
        let mut saving = AssignmentChanges {
            study: self.studies.get_mut(&open.of.study)?,
            outputs: outputs.map_or(&[], Vec::as_slice),
            open,
            stored: &mut self.stored,
            new: &mut self.new,
            now_ms: request.now_ms,
        };

        saving.record_presence(request);
        let ids = saving.open.hidden_ids();
        let outcomes = request.changes.iter().map(|change| {
            let mut outcome = saving.save(change);
            ids.hide_outcome(&mut outcome);
            outcome
        });
        Some(outcomes.collect())
    }
}

/// The requests with stored output ids in place of the ids on annotators' pages.
fn reveal_outputs(
    requests: &[SaveRequest],
    assignments: &HashMap<AssignmentId, HeldAssignment>,
) -> Vec<SaveRequest> {
    let mut requests = requests.to_vec();
    for request in &mut requests {
        if let Some(open) = assignments.get(&request.assignment) {
            let ids = open.hidden_ids();
            for change in &mut request.changes {
                ids.reveal_change(change);
            }
        }
    }
    requests
}

/// Changes to one assignment, while they are being stored.
struct AssignmentChanges<'g> {
    study: &'g mut LockedStudy,
    open: &'g mut HeldAssignment,
    outputs: &'g [JudgedOutput],
    stored: &'g mut HashMap<AnnotationId, StoredChange>,
    new: &'g mut NewRows,
    now_ms: i64,
}

impl AssignmentChanges<'_> {
    /// Renews the lease and adds the active times, if the person may work on the assignment.
    fn record_presence(&mut self, request: &SaveRequest) {
        let assignment = self.open.of.assignment;
        if self.open.of.state != AssignmentState::Open || self.barred_reason().is_some() {
            return;
        }

        let until_ms = lease_end(&self.study.settings, self.now_ms);
        if until_ms - self.open.leased_until >= LEASE_STEP_MS {
            self.open.leased_until = until_ms;
            self.new.leases.insert(assignment, until_ms);
        }

        let since_given = self.now_ms.saturating_sub(self.open.created_at);
        let longest_ms = u64::try_from(since_given).unwrap_or(0);
        for report in &request.reports {
            self.new.activity.add(assignment, *report, longest_ms);
        }
    }

    /// Why the person may not judge now.
    fn barred_reason(&self) -> Option<&'static str> {
        self.study.closed_reason.or(self.open.barred_reason)
    }

    fn save(&mut self, change: &AnnotationChange) -> SaveOutcome {
        let id = change.id;
        let dimensions = self
            .study
            .settings
            .dimensions_for(self.open.group.as_deref());
        let context = AnswerContext {
            source: &self.open.source,
            outputs: self.outputs,
            questions: &self.open.questions,
            dimensions: &dimensions,
            protocol: &self.study.settings.protocol,
            accepts_unjudged: self.study.settings.accepts_unjudged,
        };

        let repaired = repair_change(&context, change);
        if let Some(stored) = self.stored.get(&id) {
            return self.outcome_of_repeat(stored, change, &repaired);
        }

        let reason = self.barred_reason().or_else(|| self.state_reason(change));
        let reason = reason.map(str::to_owned);
        if let Some(reason) = reason.or_else(|| refusal_reason(&context, &repaired)) {
            return SaveOutcome::Refused { id, reason };
        }

        let current = self.open.current.get(&repaired.slot);
        let before = current.map(|answer| answer.id);
        // A position in the work is not an answer that could be lost: the last one counts.
        if repaired.slot != AnnotationSlot::Progress && before != repaired.supersedes {
            return SaveOutcome::Conflict {
                id,
                current: current.cloned(),
            };
        }

        if let Some(reason) = exclusion_reason(&dimensions, &self.open.current, &repaired) {
            let reason = reason.to_owned();
            return SaveOutcome::Refused { id, reason };
        }

        self.store(repaired, before);
        SaveOutcome::Saved { id }
    }

    /// Why the assignment's state does not allow the change.
    fn state_reason(&self, change: &AnnotationChange) -> Option<&'static str> {
        match self.open.of.state {
            AssignmentState::Open => None,
            AssignmentState::HandedIn if self.open.asked.is_empty() => {
                Some("The source was submitted: reopen it to change an answer.")
            }
            AssignmentState::HandedIn => {
                let may_change = self.open.concerns_question(change, self.outputs);
                (!may_change).then_some("Only the output that the lead asks about can be changed.")
            }
            AssignmentState::Skipped => Some("The source was skipped."),
            AssignmentState::Released => Some("The source was taken back and is no longer yours."),
        }
    }

    /// The outcome of a change whose id is stored already.
    fn outcome_of_repeat(
        &self,
        stored: &StoredChange,
        sent: &AnnotationChange,
        repaired: &AnnotationChange,
    ) -> SaveOutcome {
        let id = sent.id;
        let refused = |reason: &str| SaveOutcome::Refused {
            id,
            reason: reason.to_owned(),
        };

        if stored.assignment != Some(self.open.of.assignment) {
            refused("This change belongs to another source.")
        // Stored repaired, or as it was sent by a version that did not repair edits.
        } else if stored.is_same_as(repaired) || stored.is_same_as(sent) {
            SaveOutcome::Saved { id }
        } else {
            refused(
                "The server has another answer under this one's number. Reload the page and give the \
                 answer again.",
            )
        }
    }

    fn store(&mut self, change: AnnotationChange, before: Option<AnnotationId>) {
        let of = self.open.of;
        if let Some(kind) = EventKind::from_slot(&change.slot) {
            self.study.events += 1;
            self.new
                .events
                .entry(of.study)
                .or_default()
                .push(NumberedEvent {
                    number: self.study.events,
                    kind,
                    subject: change.id.to_string(),
                    at_ms: self.now_ms,
                });
        }

        let scale = match &change.slot {
            AnnotationSlot::Rating { dimension, .. } => {
                let mut dimensions = self.study.settings.dimensions.iter();
                dimensions
                    .find(|known| known.name == *dimension)
                    .map(|known| answer_columns::scale_text(known.scale))
            }
            _ => None,
        };

        let answer = StoredAnswer {
            id: change.id,
            slot: change.slot.clone(),
            answer: change.answer.clone(),
        };
        self.open.current.insert(change.slot.clone(), answer);
        self.stored
            .insert(change.id, StoredChange::new(of.assignment, &change, before));

        self.new.answers.push(NewAnswer {
            change,
            before,
            of,
            scale,
            event: self.study.events,
            now_ms: self.now_ms,
        });
    }
}
