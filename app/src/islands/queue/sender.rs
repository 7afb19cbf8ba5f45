//! Sending: in order, in batches, one tab at a time, with retries until the server answers.

use std::rc::Rc;

use domain::{
    ids::AssignmentId,
    work::{
        activity::ActivityReport,
        change::{AnnotationChange, SaveOutcome, StoredAnswer},
        confirmed_answers::ConfirmedAnswer,
        saving::{ConnectionState, retry_delay_ms},
    },
};
use leptos::{prelude::*, task::spawn_local, web_sys::js_sys::Math};

use super::{
    ChangeQueue, ChangeQueueInner, CommitBatch, OutboxRecord, OutboxRecordState, RecordKey,
    TabMessage, lock,
};
use crate::{
    api::work::{ChangeBatch, ChangeBatchOutcome, save_changes},
    browser,
    error::Refusal,
};

/// The most changes in one request.
const BATCH: usize = 50;
/// The time after which a request counts as lost.
const PATIENCE_MS: u32 = 20_000;
/// The retry interval while signed out: the annotator may sign in in another tab at any time.
const SIGNED_OUT_MS: u32 = 10_000;

impl ChangeQueue {
    /// Sends pending changes. If they are already being sent, sends again afterwards.
    pub fn send(&self) {
        if self.0.sending.replace(true) {
            self.0.send_again.set(true);
            return;
        }

        let queue = self.clone();
        spawn_local(async move {
            let inner = queue.0.clone();
            lock::exclusively(&inner.scope.name(), drain(inner.clone())).await;
            inner.sending.set(false);

            match inner.saving.connection.get_untracked() {
                ConnectionState::Unreachable
                | ConnectionState::Failing
                | ConnectionState::SignedOut => queue.send_later(),
                ConnectionState::Connected | ConnectionState::Sending
                    if inner.send_again.take() =>
                {
                    queue.send()
                }
                ConnectionState::Connected | ConnectionState::Sending => {}
            }
        });
    }

    /// Sends pending changes without the usual delay, when the network or the annotator is back.
    pub fn send_now(&self) {
        self.0.failed_attempts.set(0);
        self.send();
    }

    /// Schedules a retry, unless one is already scheduled.
    pub(super) fn send_later(&self) {
        if self.0.retry_scheduled.replace(true) {
            return;
        }

        let ms = match self.0.saving.connection.get_untracked() {
            ConnectionState::SignedOut => SIGNED_OUT_MS,
            _ => retry_delay_ms(self.0.failed_attempts.get(), Math::random()),
        };

        let queue = self.clone();
        spawn_local(async move {
            browser::sleep(ms).await;
            queue.0.retry_scheduled.set(false);
            queue.send();
        });
    }
}

async fn drain(inner: Rc<ChangeQueueInner>) {
    loop {
        inner.send_again.set(false);
        let records = inner.records().await;
        inner.update_counts(&records);

        let Some((assignment, batch)) = first_batch(records) else {
            inner.saving.connection.set(ConnectionState::Connected);
            return;
        };

        inner.saving.connection.maybe_update(|line| {
            let quiet = *line == ConnectionState::Connected;
            if quiet {
                *line = ConnectionState::Sending;
            }
            quiet
        });

        let reports = inner.store.reports(assignment).await;
        match send_batch(&inner, assignment, &batch, &reports).await {
            Ok(outcome) => {
                inner.failed_attempts.set(0);
                inner.saving.connection.set(ConnectionState::Sending);
                apply_outcomes(&inner, assignment, batch, reports, outcome).await;
            }
            Err(Refusal::NotSignedIn) => {
                return inner.saving.connection.set(ConnectionState::SignedOut);
            }
            Err(refusal @ (Refusal::NotAllowed | Refusal::NotFound)) => {
                mark_refused(&inner, batch, &refusal.to_string()).await;
            }
            // Any other error may be temporary, and nothing is lost meanwhile.
            Err(refusal) => {
                inner
                    .failed_attempts
                    .set(inner.failed_attempts.get().saturating_add(1));
                let state = match refusal {
                    Refusal::Unavailable(_) | Refusal::Internal(_) => ConnectionState::Failing,
                    _ => ConnectionState::Unreachable,
                };
                return inner.saving.connection.set(state);
            }
        }
    }
}

/// The next batch: the changes at the head of the queue that belong to one source.
fn first_batch(
    mut records: Vec<(RecordKey, OutboxRecord)>,
) -> Option<(AssignmentId, Vec<(RecordKey, OutboxRecord)>)> {
    records.retain(|(_, r)| r.state == OutboxRecordState::Waiting);

    let assignment = records.first()?.1.assignment;
    let batch = records
        .into_iter()
        .take_while(|(_, r)| r.assignment == assignment)
        .take(BATCH);
    Some((assignment, batch.collect()))
}

async fn send_batch(
    inner: &ChangeQueueInner,
    assignment: AssignmentId,
    batch: &[(RecordKey, OutboxRecord)],
    reports: &[ActivityReport],
) -> Result<ChangeBatchOutcome, Refusal> {
    let batch = ChangeBatch {
        person: inner.scope.person,
        assignment,
        changes: batch
            .iter()
            .map(|(_, record)| record.change.clone())
            .collect(),
        activity: reports.to_vec(),
    };

    browser::with_timeout(PATIENCE_MS, save_changes(batch))
        .await
        .unwrap_or(Err(Refusal::Unreachable))
}

async fn apply_outcomes(
    inner: &ChangeQueueInner,
    assignment: AssignmentId,
    batch: Vec<(RecordKey, OutboxRecord)>,
    reports: Vec<ActivityReport>,
    taken: ChangeBatchOutcome,
) {
    // This tab's own time may have grown meanwhile, so it stays and is reported with the next batch.
    let others = reports.into_iter().filter(|report| report.tab != inner.tab);
    let mut commit = CommitBatch {
        reported: others.map(|report| (assignment, report)).collect(),
        ..CommitBatch::default()
    };

    let mut outcomes: Vec<(AnnotationChange, SaveOutcome)> = vec![];
    for ((place, mut record), outcome) in batch.into_iter().zip(taken.outcomes) {
        let change = record.change.clone();
        match &outcome {
            SaveOutcome::Saved { .. } => {
                let AnnotationChange {
                    id, slot, answer, ..
                } = change.clone();
                let stored = StoredAnswer { id, slot, answer };
                commit.known.push((
                    assignment,
                    ConfirmedAnswer {
                        stored,
                        at: taken.now,
                    },
                ));
                commit.removed.push(place);
            }
            SaveOutcome::Conflict { current, .. } => {
                let confirmed_answer = current.clone().map(|stored| ConfirmedAnswer {
                    stored,
                    at: taken.now,
                });
                commit
                    .known
                    .extend(confirmed_answer.map(|answer| (assignment, answer)));
                record.state = OutboxRecordState::Conflict;
                commit.changed.push((place, record));
            }
            SaveOutcome::Refused { reason, .. } => {
                record.state = OutboxRecordState::Refused(reason.clone());
                commit.changed.push((place, record));
            }
        }
        outcomes.push((change, outcome));
    }

    inner.store.commit(&commit).await;

    let message = TabMessage::Settled {
        assignment,
        outcomes,
    };
    inner.tab_channel.post(&message);
    (inner.on_message)(message);
}

async fn mark_refused(
    inner: &ChangeQueueInner,
    batch: Vec<(RecordKey, OutboxRecord)>,
    reason: &str,
) {
    let refused = |(place, mut record): (RecordKey, OutboxRecord)| {
        record.state = OutboxRecordState::Refused(reason.to_owned());
        (place, record)
    };

    let changed = batch.into_iter().map(refused).collect();
    inner
        .store
        .commit(&CommitBatch {
            changed,
            ..CommitBatch::default()
        })
        .await;
}
