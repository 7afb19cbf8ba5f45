//! The outbox of answers: the browser stores them first, and one tab at a time sends them in order, until the
//! server has confirmed or refused each.

mod lock;
mod outbox_record;
mod outbox_store;
mod sender;
mod tab_channel;

use std::{cell::Cell, rc::Rc};

use domain::{
    ids::{AssignmentId, PersonId, StudyId},
    work::{
        activity::ActivityReport,
        change::{AnnotationChange, AnnotationSlot},
        confirmed_answers::ConfirmedAnswer,
        saving::ConnectionState,
    },
};
use leptos::{prelude::*, task::spawn_local};
use uuid::Uuid;

use outbox_record::{OutboxRecord, OutboxRecordState};
use outbox_store::{CommitBatch, OutboxStore, RecordKey};
use tab_channel::TabChannel;
pub use tab_channel::TabMessage;

/// The scope of a queue: a person, a study and a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueScope {
    pub person: PersonId,
    pub study: StudyId,
    pub assignment: AssignmentId,
}

/// The state of the queue as the annotator sees it.
#[derive(Debug, Clone, Copy)]
pub struct SavingStatus {
    /// The result of the last attempt to send.
    pub connection: RwSignal<ConnectionState>,
    /// The number of changes still to be sent, in all tabs of this person and study.
    pub waiting: RwSignal<usize>,
    /// The reasons why changes were refused, one sentence each.
    pub refused: RwSignal<Vec<String>>,
    /// The number of changes that the browser has not stored yet: leaving the page would lose them.
    pub unsaved: RwSignal<usize>,
    /// Whether a text is being typed that has not become a change yet.
    pub typing: RwSignal<bool>,
}

impl Default for SavingStatus {
    /// The status with every change sent.
    fn default() -> Self {
        Self {
            connection: RwSignal::new(ConnectionState::Connected),
            waiting: RwSignal::new(0),
            refused: RwSignal::new(vec![]),
            unsaved: RwSignal::new(0),
            typing: RwSignal::new(false),
        }
    }
}

/// The browser's stored answers to a source.
#[derive(Debug, Default)]
pub struct RestoredAnswers {
    /// Answers that the server confirmed, perhaps after the page was made.
    pub known: Vec<ConfirmedAnswer>,
    /// Changes that the server has not accepted yet, in order.
    pub waiting: Vec<AnnotationChange>,
}

/// A tab's queue of one person in one study.
#[derive(Clone)]
pub struct ChangeQueue(Rc<ChangeQueueInner>);

struct ChangeQueueInner {
    scope: QueueScope,
    tab: Uuid,
    saving: SavingStatus,
    store: OutboxStore,
    tab_channel: TabChannel,
    on_message: Rc<dyn Fn(TabMessage)>,
    /// The number of changes being written to the disk.
    writing: Cell<usize>,
    sending: Cell<bool>,
    send_again: Cell<bool>,
    /// Whether a retry is scheduled.
    retry_scheduled: Cell<bool>,
    failed_attempts: Cell<u32>,
}

impl ChangeQueue {
    /// Opens the queue and returns what it holds for the scope's source. From now on, the callback receives
    /// answers from other tabs and the outcomes of changes.
    pub async fn open(
        scope: QueueScope,
        tab: Uuid,
        saving: SavingStatus,
        on_message: impl Fn(TabMessage) + 'static,
    ) -> (Self, RestoredAnswers) {
        let store = OutboxStore::open(crate::links::base()).await;
        let on_message: Rc<dyn Fn(TabMessage)> = Rc::new(on_message);
        let tabs = TabChannel::listen(&scope.name(), {
            let on_message = on_message.clone();
            move |message| on_message(message)
        });

        let inner = ChangeQueueInner {
            scope,
            tab,
            saving,
            store,
            tab_channel: tabs,
            on_message,
            writing: Cell::new(0),
            sending: Cell::new(false),
            send_again: Cell::new(false),
            retry_scheduled: Cell::new(false),
            failed_attempts: Cell::new(0),
        };
        let queue = Self(Rc::new(inner));

        let mine = queue.0.records().await;
        let assignment_records = mine
            .iter()
            .map(|(_, r)| r)
            .filter(|r| r.assignment == scope.assignment);
        let refused = |r: &&OutboxRecord| matches!(r.state, OutboxRecordState::Refused(_));
        let restored_answers = RestoredAnswers {
            known: queue.0.store.confirmed_answers(scope.assignment).await,
            waiting: assignment_records
                .filter(|r| !refused(r))
                .map(|r| r.change.clone())
                .collect(),
        };

        queue.0.update_counts(&mine);
        (queue, restored_answers)
    }

    /// Deletes answers that were confirmed before the page was made.
    pub fn forget(&self, stale: Vec<ConfirmedAnswer>) {
        let inner = self.0.clone();
        spawn_local(async move { inner.store.forget(inner.scope.assignment, &stale).await });
    }

    /// Stores changes and sends them.
    pub fn push(&self, changes: Vec<AnnotationChange>, report: ActivityReport) {
        let QueueScope {
            person,
            study,
            assignment,
        } = self.0.scope;

        self.0.tab_channel.post(&TabMessage::Given {
            assignment,
            changes: changes.clone(),
        });

        let record = |change| OutboxRecord::new(person, study, assignment, change);
        let records: Vec<OutboxRecord> = changes.into_iter().map(record).collect();
        let n = records.len();
        self.0.saving.waiting.update(|waiting| *waiting += n);
        self.0.track_writing(n, true);

        let queue = self.clone();
        let inner = self.0.clone();
        // Spawned futures start in the order in which they were spawned, and so do their writes.
        spawn_local(async move {
            inner.store.save(&records, Some((assignment, report))).await;
            inner.track_writing(n, false);
            match inner.saving.connection.get_untracked() {
                ConnectionState::Connected | ConnectionState::Sending => queue.send(),
                ConnectionState::Unreachable
                | ConnectionState::Failing
                | ConnectionState::SignedOut => queue.send_later(),
            }
        });
    }

    /// Tells the other tabs that the annotator is active in this one.
    pub fn announce_activity(&self) {
        self.0.tab_channel.post(&TabMessage::AtWork);
    }

    /// Records that the annotator has chosen between two conflicting answers to `slot`.
    pub fn resolve_conflict(&self, slot: &AnnotationSlot) {
        let (inner, slot) = (self.0.clone(), slot.clone());
        spawn_local(async move {
            let decided =
                |r: &OutboxRecord| r.state == OutboxRecordState::Conflict && r.change.slot == slot;
            inner.drop_where(decided).await;
        });
    }

    /// Sends refused changes once more.
    pub fn try_again(&self) {
        let queue = self.clone();
        spawn_local(async move {
            let mut records = queue.0.records().await;
            records.retain(|(_, r)| matches!(r.state, OutboxRecordState::Refused(_)));
            for (_, record) in &mut records {
                record.state = OutboxRecordState::Waiting;
            }

            let batch = CommitBatch {
                changed: records,
                ..CommitBatch::default()
            };
            queue.0.store.commit(&batch).await;
            queue.send();
        });
    }

    /// Drops refused changes.
    pub fn discard_refused(&self) {
        let inner = self.0.clone();
        spawn_local(async move {
            inner
                .drop_where(|r| matches!(r.state, OutboxRecordState::Refused(_)))
                .await;
            inner.saving.refused.set(vec![]);
        });
    }
}

impl ChangeQueueInner {
    /// The records of this person in this study.
    async fn records(&self) -> Vec<(RecordKey, OutboxRecord)> {
        let mut records = self.store.records().await;
        records.retain(|(_, r)| r.person == self.scope.person && r.study == self.scope.study);
        records
    }

    fn update_counts(&self, records: &[(RecordKey, OutboxRecord)]) {
        let waiting = records
            .iter()
            .filter(|(_, r)| r.state == OutboxRecordState::Waiting)
            .count();

        self.saving.waiting.set(waiting + self.writing.get());
        self.saving
            .unsaved
            .set(self.writing.get() + self.store.count_unsaved());

        let reasons = records.iter().filter_map(|(_, r)| match &r.state {
            OutboxRecordState::Refused(reason) => Some(reason.clone()),
            _ => None,
        });
        self.saving.refused.set(reasons.collect());
    }

    /// Counts changes when writing them begins or ends.
    fn track_writing(&self, changes: usize, begins: bool) {
        let writing = self.writing.get();
        self.writing.set(if begins {
            writing + changes
        } else {
            writing - changes
        });

        self.saving
            .unsaved
            .set(self.writing.get() + self.store.count_unsaved());
    }

    async fn drop_where(&self, which: impl Fn(&OutboxRecord) -> bool) {
        let records = self.records().await;
        let keys = records
            .iter()
            .filter(|(_, r)| which(r))
            .map(|(place, _)| *place)
            .collect();

        self.store
            .commit(&CommitBatch {
                removed: keys,
                ..CommitBatch::default()
            })
            .await;
    }
}

impl QueueScope {
    /// The name that all tabs of the person and study share.
    fn name(&self) -> String {
        format!("rankrate/{}/{}", self.person, self.study)
    }
}
