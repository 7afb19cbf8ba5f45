//! What the browser keeps itself: IndexedDB, and memory for what cannot be kept there.

use std::cell::RefCell;

use domain::{
    ids::AssignmentId,
    work::{activity::Report, known::Known},
};
use idb::{Database, Error, KeyRange, ObjectStore, Transaction, TransactionMode};
use leptos::wasm_bindgen::JsValue;
use serde::{Serialize, de::DeserializeOwned};

use super::record::Record;

const CHANGES: &str = "changes";
const KNOWN: &str = "known";
const ACTIVITY: &str = "activity";

/// Everything that is kept, over all studies and people of this browser.
pub(super) struct Shelf {
    /// `None` where the browser keeps nothing.
    disk: Option<Database>,
    /// What could not be kept. Once something could not, nothing is: order must not be lost.
    memory: RefCell<Memory>,
}

#[derive(Default)]
struct Memory {
    records: Vec<(u32, Record)>,
    next: u32,
    full: bool,
}

/// Where a record lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Disk(u32),
    Memory(u32),
}

/// What becomes of records and of what is known, all or nothing.
#[derive(Default)]
pub(super) struct Settlement {
    pub(super) done: Vec<Place>,
    pub(super) changed: Vec<(Place, Record)>,
    pub(super) known: Vec<(AssignmentId, Known)>,
    pub(super) reported: Vec<(AssignmentId, Report)>,
}

impl Shelf {
    /// Opens what is kept for the site under `base`.
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

    /// Keeps records, in their order, and the active time with them.
    ///
    /// They are in line for the disk when this returns, and kept when the future it returns is done.
    pub(super) fn keep<'a>(
        &'a self,
        records: &'a [Record],
        report: Option<(AssignmentId, Report)>,
    ) -> impl Future<Output = ()> + 'a {
        let under_way = (!self.memory.borrow().full).then(|| self.write(records, report));
        async move {
            let kept = match under_way {
                Some(Ok(transaction)) => transaction.await.is_ok_and(|done| done.is_committed()),
                _ => false,
            };
            if !kept {
                self.remember(records);
            }
        }
    }

    fn write(
        &self,
        records: &[Record],
        report: Option<(AssignmentId, Report)>,
    ) -> Result<Transaction, Error> {
        let transaction = self.transaction(TransactionMode::ReadWrite)?;
        let changes = transaction.object_store(CHANGES)?;
        for record in records {
            changes.add(&record.write().into(), None)?;
        }
        if let Some((assignment, report)) = report {
            let key = activity_key(assignment, &report);
            transaction
                .object_store(ACTIVITY)?
                .put(&json(&report), Some(&key))?;
        }
        transaction.commit()
    }

    fn remember(&self, records: &[Record]) {
        let mut memory = self.memory.borrow_mut();
        memory.full = true;
        for record in records {
            memory.next += 1;
            let key = memory.next;
            memory.records.push((key, record.clone()));
        }
    }

    /// How many records are in memory only.
    pub(super) fn unkept(&self) -> usize {
        self.memory.borrow().records.len()
    }

    /// All records, in the order in which they were made.
    pub(super) async fn records(&self) -> Vec<(Place, Record)> {
        let mut records = self.records_on_disk().await.unwrap_or_default();
        let memory = self.memory.borrow();
        records.extend(
            memory
                .records
                .iter()
                .map(|(key, r)| (Place::Memory(*key), r.clone())),
        );
        records
    }

    async fn records_on_disk(&self) -> Result<Vec<(Place, Record)>, Error> {
        let changes = self
            .transaction(TransactionMode::ReadOnly)?
            .object_store(CHANGES)?;
        let (keys, values) = (
            changes.get_all_keys(None, None)?,
            changes.get_all(None, None)?,
        );
        let (keys, values) = (keys.await?, values.await?);
        let read = |(key, value): (JsValue, JsValue)| {
            let key = number(&key)?;
            Some((Place::Disk(key), Record::read(&value.as_string()?)?))
        };
        Ok(keys.into_iter().zip(values).filter_map(read).collect())
    }

    /// What the server confirmed of one source.
    pub(super) async fn known(&self, assignment: AssignmentId) -> Vec<Known> {
        self.all_of(KNOWN, assignment).await.unwrap_or_default()
    }

    /// The active time of one source that was not reported yet.
    pub(super) async fn reports(&self, assignment: AssignmentId) -> Vec<Report> {
        self.all_of(ACTIVITY, assignment).await.unwrap_or_default()
    }

    async fn all_of<T: DeserializeOwned>(
        &self,
        store: &str,
        assignment: AssignmentId,
    ) -> Result<Vec<T>, Error> {
        let store = self
            .transaction(TransactionMode::ReadOnly)?
            .object_store(store)?;
        let values = store
            .get_all(Some(keys_of(assignment)?.into()), None)?
            .await?;
        let read = |value: JsValue| serde_json::from_str(&value.as_string()?).ok();
        Ok(values.into_iter().filter_map(read).collect())
    }

    /// Does a settlement.
    pub(super) async fn settle(&self, settlement: &Settlement) {
        self.settle_in_memory(settlement);
        // Where it fails, the records are sent again: the server takes each change once.
        if let Ok(transaction) = self.settle_on_disk(settlement) {
            let _ = transaction.await;
        }
    }

    fn settle_in_memory(&self, settlement: &Settlement) {
        let mut memory = self.memory.borrow_mut();
        memory
            .records
            .retain(|(key, _)| !settlement.done.contains(&Place::Memory(*key)));
        for (key, record) in &mut memory.records {
            let new = settlement
                .changed
                .iter()
                .find(|(place, _)| *place == Place::Memory(*key));
            if let Some((_, new)) = new {
                *record = new.clone();
            }
        }
    }

    fn settle_on_disk(&self, settlement: &Settlement) -> Result<Transaction, Error> {
        let transaction = self.transaction(TransactionMode::ReadWrite)?;
        let changes = transaction.object_store(CHANGES)?;
        for place in &settlement.done {
            if let Place::Disk(key) = place {
                changes.delete(JsValue::from(*key))?;
            }
        }
        for (place, record) in &settlement.changed {
            if let Place::Disk(key) = place {
                changes.put(&record.write().into(), Some(&JsValue::from(*key)))?;
            }
        }
        let known = transaction.object_store(KNOWN)?;
        for (assignment, answer) in &settlement.known {
            known.put(&json(answer), Some(&known_key(*assignment, answer)))?;
        }
        let activity = transaction.object_store(ACTIVITY)?;
        for (assignment, report) in &settlement.reported {
            activity.delete(activity_key(*assignment, report))?;
        }
        transaction.commit()
    }

    /// Forgets answers of one source that are no news.
    pub(super) async fn forget(&self, assignment: AssignmentId, stale: &[Known]) {
        let delete = |known: ObjectStore| -> Result<(), Error> {
            for answer in stale {
                known.delete(known_key(assignment, answer))?;
            }
            Ok(())
        };
        // What stays is merely read and found stale again.
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
    serde_json::to_string(value)
        .expect("what is kept is plain data")
        .into()
}

/// Keys that begin with an assignment: those of no other lie between.
fn keys_of(assignment: AssignmentId) -> Result<KeyRange, Error> {
    let (low, high) = (format!("{assignment}/"), format!("{assignment}0"));
    KeyRange::bound(&low.into(), &high.into(), None, Some(true))
}

fn known_key(assignment: AssignmentId, known: &Known) -> JsValue {
    let slot = serde_json::to_string(&known.stored.slot).expect("a slot is plain data");
    format!("{assignment}/{slot}").into()
}

fn activity_key(assignment: AssignmentId, report: &Report) -> JsValue {
    format!("{assignment}/{}", report.tab).into()
}

/// Keys count up from 1 and fit.
fn number(key: &JsValue) -> Option<u32> {
    let key = key.as_f64()?;
    (1.0..=f64::from(u32::MAX))
        .contains(&key)
        .then_some(key as u32)
}
