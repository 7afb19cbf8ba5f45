//! The browser's storage of the outbox: IndexedDB, and memory as a fallback.

use std::cell::RefCell;

use domain::{
    ids::AssignmentId,
    work::{activity::ActivityReport, confirmed_answers::ConfirmedAnswer},
};
use idb::{Database, Error, KeyRange, ObjectStore, Transaction, TransactionMode};
use leptos::wasm_bindgen::JsValue;
use serde::{Serialize, de::DeserializeOwned};

use super::outbox_record::OutboxRecord;
use crate::json::{from_json, to_json};

const CHANGES: &str = "changes";
const KNOWN: &str = "known";
const ACTIVITY: &str = "activity";

/// The outbox of all studies and people of this browser.
pub(super) struct OutboxStore {
    /// `None` if the browser offers no storage.
    disk: Option<Database>,
    /// Records that could not be stored. After the first of them, no record goes to the disk, which keeps the order.
    memory: RefCell<OutboxMemory>,
}

#[derive(Default)]
struct OutboxMemory {
    records: Vec<(u32, OutboxRecord)>,
    next: u32,
    full: bool,
}

/// The key of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordKey {
    Disk(u32),
    Memory(u32),
}

/// A transaction over records and confirmed answers, all or nothing.
#[derive(Default)]
pub(super) struct CommitBatch {
    pub(super) removed: Vec<RecordKey>,
    pub(super) changed: Vec<(RecordKey, OutboxRecord)>,
    pub(super) known: Vec<(AssignmentId, ConfirmedAnswer)>,
    pub(super) reported: Vec<(AssignmentId, ActivityReport)>,
}

impl OutboxStore {
    /// Opens the outbox of the site under `base`.
    pub(super) async fn open(base: &str) -> Self {
        let build = || {
            Database::builder(&format!("rankrate{base}"))
                .version(1)
                .add_object_store(
                    idb::builder::ObjectStoreBuilder::new(CHANGES).auto_increment(true),
                )
                .add_object_store(idb::builder::ObjectStoreBuilder::new(KNOWN))
                .add_object_store(idb::builder::ObjectStoreBuilder::new(ACTIVITY))
                .build()
        };

        Self {
            disk: build().await.ok(),
            memory: RefCell::default(),
        }
    }

    /// Stores records in order, with the active time.
    ///
    /// When this returns, the records are queued for the disk; when the returned future completes, they are stored.
    pub(super) fn save<'a>(
        &'a self,
        records: &'a [OutboxRecord],
        report: Option<(AssignmentId, ActivityReport)>,
    ) -> impl Future<Output = ()> + 'a {
        let under_way = (!self.memory.borrow().full).then(|| self.write(records, report));

        async move {
            let kept = match under_way {
                Some(Ok(transaction)) => {
                    transaction.await.is_ok_and(|result| result.is_committed())
                }
                _ => false,
            };

            if !kept {
                self.save_in_memory(records);
            }
        }
    }

    fn write(
        &self,
        records: &[OutboxRecord],
        report: Option<(AssignmentId, ActivityReport)>,
    ) -> Result<Transaction, Error> {
        let transaction = self.transaction(TransactionMode::ReadWrite)?;
        let changes = transaction.object_store(CHANGES)?;

        for record in records {
            changes.add(&record.to_json().into(), None)?;
        }

        if let Some((assignment, report)) = report {
            let key = activity_key(assignment, &report);
            transaction
                .object_store(ACTIVITY)?
                .put(&json(&report), Some(&key))?;
        }

        transaction.commit()
    }

    fn save_in_memory(&self, records: &[OutboxRecord]) {
        let mut memory = self.memory.borrow_mut();
        memory.full = true;
        for record in records {
            memory.next += 1;
            let key = memory.next;
            memory.records.push((key, record.clone()));
        }
    }

    /// The number of records that are in memory only.
    pub(super) fn count_unsaved(&self) -> usize {
        self.memory.borrow().records.len()
    }

    /// All records, in the order in which they were made.
    pub(super) async fn records(&self) -> Vec<(RecordKey, OutboxRecord)> {
        let mut records = self.records_on_disk().await.unwrap_or_default();

        let memory = self.memory.borrow();
        records.extend(
            memory
                .records
                .iter()
                .map(|(key, r)| (RecordKey::Memory(*key), r.clone())),
        );
        records
    }

    async fn records_on_disk(&self) -> Result<Vec<(RecordKey, OutboxRecord)>, Error> {
        let changes = self
            .transaction(TransactionMode::ReadOnly)?
            .object_store(CHANGES)?;

        let (keys, values) = (
            changes.get_all_keys(None, None)?,
            changes.get_all(None, None)?,
        );
        let (keys, values) = (keys.await?, values.await?);

        let read = |(key, value): (JsValue, JsValue)| {
            let key = parse_key(&key)?;
            Some((
                RecordKey::Disk(key),
                OutboxRecord::parse(&value.as_string()?)?,
            ))
        };

        Ok(keys.into_iter().zip(values).filter_map(read).collect())
    }

    /// The confirmed answers of one source.
    pub(super) async fn confirmed_answers(&self, assignment: AssignmentId) -> Vec<ConfirmedAnswer> {
        self.read_all(KNOWN, assignment).await.unwrap_or_default()
    }

    /// The active time of one source that has not been reported yet.
    pub(super) async fn reports(&self, assignment: AssignmentId) -> Vec<ActivityReport> {
        self.read_all(ACTIVITY, assignment)
            .await
            .unwrap_or_default()
    }

    async fn read_all<T: DeserializeOwned>(
        &self,
        store: &str,
        assignment: AssignmentId,
    ) -> Result<Vec<T>, Error> {
        let store = self
            .transaction(TransactionMode::ReadOnly)?
            .object_store(store)?;
        let values = store
            .get_all(Some(key_range(assignment)?.into()), None)?
            .await?;

        let read = |value: JsValue| from_json(&value.as_string()?).ok();
        Ok(values.into_iter().filter_map(read).collect())
    }

    /// Commits a batch.
    pub(super) async fn commit(&self, batch: &CommitBatch) {
        self.commit_in_memory(batch);
        // If this fails, the records are sent again: the server stores each change only once.
        if let Ok(transaction) = self.commit_on_disk(batch) {
            let _ = transaction.await;
        }
    }

    fn commit_in_memory(&self, batch: &CommitBatch) {
        let mut memory = self.memory.borrow_mut();
        memory
            .records
            .retain(|(key, _)| !batch.removed.contains(&RecordKey::Memory(*key)));

        for (key, record) in &mut memory.records {
            let new = batch
                .changed
                .iter()
                .find(|(place, _)| *place == RecordKey::Memory(*key));
            if let Some((_, new)) = new {
                *record = new.clone();
            }
        }
    }

    fn commit_on_disk(&self, batch: &CommitBatch) -> Result<Transaction, Error> {
        let transaction = self.transaction(TransactionMode::ReadWrite)?;
        let changes = transaction.object_store(CHANGES)?;

        for place in &batch.removed {
            if let RecordKey::Disk(key) = place {
                changes.delete(JsValue::from(*key))?;
            }
        }

        for (place, record) in &batch.changed {
            if let RecordKey::Disk(key) = place {
                changes.put(&record.to_json().into(), Some(&JsValue::from(*key)))?;
            }
        }

        let known_answers = transaction.object_store(KNOWN)?;
        for (assignment, answer) in &batch.known {
            known_answers.put(&json(answer), Some(&known_key(*assignment, answer)))?;
        }

        let activity = transaction.object_store(ACTIVITY)?;
        for (assignment, report) in &batch.reported {
            activity.delete(activity_key(*assignment, report))?;
        }

        transaction.commit()
    }

    /// Deletes outdated answers of one source.
    pub(super) async fn forget(&self, assignment: AssignmentId, stale: &[ConfirmedAnswer]) {
        let delete = |known_answers: ObjectStore| -> Result<(), Error> {
            for answer in stale {
                known_answers.delete(known_key(assignment, answer))?;
            }
            Ok(())
        };

        // Answers that stay are merely read and found outdated again.
        if let Ok(transaction) = self.transaction(TransactionMode::ReadWrite)
            && transaction.object_store(KNOWN).and_then(delete).is_ok()
        {
            let _ = transaction.await;
        }
    }

    fn transaction(&self, mode: TransactionMode) -> Result<Transaction, Error> {
        let disk = self
            .disk
            .as_ref()
            .ok_or(Error::IndexedDbNotFound(JsValue::NULL))?;
        disk.transaction(&[CHANGES, KNOWN, ACTIVITY], mode)
    }
}

fn json(value: &impl Serialize) -> JsValue {
    to_json(value).into()
}

/// The range of all keys that begin with an assignment.
fn key_range(assignment: AssignmentId) -> Result<KeyRange, Error> {
    let (low, high) = (format!("{assignment}/"), format!("{assignment}0"));
    KeyRange::bound(&low.into(), &high.into(), None, Some(true))
}

fn known_key(assignment: AssignmentId, known: &ConfirmedAnswer) -> JsValue {
    let slot = to_json(&known.stored.slot);
    format!("{assignment}/{slot}").into()
}

fn activity_key(assignment: AssignmentId, report: &ActivityReport) -> JsValue {
    format!("{assignment}/{}", report.tab).into()
}

/// Parses a key. Keys count up from 1 and fit.
fn parse_key(key: &JsValue) -> Option<u32> {
    let key = key.as_f64()?;
    (1.0..=f64::from(u32::MAX))
        .contains(&key)
        .then_some(key as u32)
}
