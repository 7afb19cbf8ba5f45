//! Sending: in order, in batches, one tab at a time, again and again until the server answers.

use std::rc::Rc;

use domain::{
    ids::AssignmentId,
    work::{
        activity::Report,
        change::{Change, Outcome, Stored},
        known::Known,
        saving::{Line, wait_ms},
    },
};
use leptos::{prelude::*, task::spawn_local, web_sys::js_sys::Math};

use super::{Inner, News, Place, Queue, Record, Settlement, State, lock};
use crate::{
    api::work::{Batch, Taken, save_changes},
    browser,
    error::Refusal,
};

/// At most so many changes go in one request.
const BATCH: usize = 50;
/// A request that takes longer is taken for lost.
const PATIENCE_MS: u32 = 20_000;
/// While signed out, the annotator may sign in in another tab at any time.
const SIGNED_OUT_MS: u32 = 10_000;

impl Queue {
    /// Sends what waits; once more afterwards where it is being sent already.
    pub fn send(&self) {
        if self.0.sending.replace(true) {
            self.0.again.set(true);
            return;
        }
        let queue = self.clone();
        spawn_local(async move {
            let inner = queue.0.clone();
            lock::exclusively(&inner.scope.name(), drain(inner.clone())).await;
            inner.sending.set(false);
            match inner.saving.line.get_untracked() {
                Line::Down | Line::SignedOut => queue.send_later(),
                Line::Up | Line::Sending if inner.again.take() => queue.send(),
                Line::Up | Line::Sending => {}
            }
        });
    }

    /// Sends what waits, as if no attempt had failed before: the network is back, or the annotator.
    pub fn send_now(&self) {
        self.0.failed.set(0);
        self.send();
    }

    /// Sends what waits after a while, unless that is set already.
    pub(super) fn send_later(&self) {
        if self.0.later.replace(true) {
            return;
        }
        let ms = match self.0.saving.line.get_untracked() {
            Line::SignedOut => SIGNED_OUT_MS,
            _ => wait_ms(self.0.failed.get(), Math::random()),
        };
        let queue = self.clone();
        spawn_local(async move {
            browser::sleep(ms).await;
            queue.0.later.set(false);
            queue.send();
        });
    }
}

async fn drain(inner: Rc<Inner>) {
    loop {
        inner.again.set(false);
        let records = inner.records().await;
        inner.count(&records);
        let Some((assignment, batch)) = first_batch(records) else {
            inner.saving.line.set(Line::Up);
            return;
        };
        inner.saving.line.maybe_update(|line| {
            let quiet = *line == Line::Up;
            if quiet {
                *line = Line::Sending;
            }
            quiet
        });
        let reports = inner.shelf.reports(assignment).await;
        match ask(&inner, assignment, &batch, &reports).await {
            Ok(taken) => {
                inner.failed.set(0);
                inner.saving.line.set(Line::Sending);
                settle(&inner, assignment, batch, reports, taken).await;
            }
            Err(Refusal::NotSignedIn) => return inner.saving.line.set(Line::SignedOut),
            Err(refusal @ (Refusal::NotAllowed | Refusal::NotFound)) => {
                refuse(&inner, batch, &refusal.to_string()).await;
            }
            // Whatever else: it may be better the next time, and nothing is lost meanwhile.
            Err(_) => {
                inner.failed.set(inner.failed.get().saturating_add(1));
                return inner.saving.line.set(Line::Down);
            }
        }
    }
}

/// The changes that go first: those at the head of the queue that belong to one source.
fn first_batch(mut records: Vec<(Place, Record)>) -> Option<(AssignmentId, Vec<(Place, Record)>)> {
    records.retain(|(_, r)| r.state == State::Waiting);
    let assignment = records.first()?.1.assignment;
    let batch = records
        .into_iter()
        .take_while(|(_, r)| r.assignment == assignment)
        .take(BATCH);
    Some((assignment, batch.collect()))
}

async fn ask(
    inner: &Inner,
    assignment: AssignmentId,
    batch: &[(Place, Record)],
    reports: &[Report],
) -> Result<Taken, Refusal> {
    let batch = Batch {
        person: inner.scope.person,
        assignment,
        changes: batch
            .iter()
            .map(|(_, record)| record.change.clone())
            .collect(),
        activity: reports.to_vec(),
    };
    browser::within(PATIENCE_MS, save_changes(batch))
        .await
        .unwrap_or(Err(Refusal::Unreachable))
}

async fn settle(
    inner: &Inner,
    assignment: AssignmentId,
    batch: Vec<(Place, Record)>,
    reports: Vec<Report>,
    taken: Taken,
) {
    // This tab's own report may have grown meanwhile: it stays, and goes along again.
    let others = reports.into_iter().filter(|report| report.tab != inner.tab);
    let mut settlement = Settlement {
        reported: others.map(|report| (assignment, report)).collect(),
        ..Settlement::default()
    };
    let mut outcomes: Vec<(Change, Outcome)> = vec![];
    for ((place, mut record), outcome) in batch.into_iter().zip(taken.outcomes) {
        let change = record.change.clone();
        match &outcome {
            Outcome::Saved { .. } => {
                let Change {
                    id, slot, answer, ..
                } = change.clone();
                let stored = Stored { id, slot, answer };
                settlement.known.push((
                    assignment,
                    Known {
                        stored,
                        at: taken.now,
                    },
                ));
                settlement.done.push(place);
            }
            Outcome::Conflict { current, .. } => {
                let known = current.clone().map(|stored| Known {
                    stored,
                    at: taken.now,
                });
                settlement
                    .known
                    .extend(known.map(|known| (assignment, known)));
                record.state = State::Conflict;
                settlement.changed.push((place, record));
            }
            Outcome::Refused { reason, .. } => {
                record.state = State::Refused(reason.clone());
                settlement.changed.push((place, record));
            }
        }
        outcomes.push((change, outcome));
    }
    inner.shelf.settle(&settlement).await;
    let news = News::Settled {
        assignment,
        outcomes,
    };
    inner.tabs.tell(&news);
    (inner.heard)(news);
}

async fn refuse(inner: &Inner, batch: Vec<(Place, Record)>, reason: &str) {
    let refused = |(place, mut record): (Place, Record)| {
        record.state = State::Refused(reason.to_owned());
        (place, record)
    };
    let changed = batch.into_iter().map(refused).collect();
    inner
        .shelf
        .settle(&Settlement {
            changed,
            ..Settlement::default()
        })
        .await;
}
