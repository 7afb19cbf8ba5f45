//! The queue of saves: saves that arrive while a transaction commits are stored together by the
//! next one.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::{
    ids::{AssignmentId, PersonId, StudyId},
    work::{
        activity::ActivityReport,
        change::{AnnotationChange, SaveOutcome},
    },
};
use tokio::{sync::oneshot, time::timeout};

use super::save::save_group;
use crate::{DatabaseEngine, Error, Result, Store, assignments::load_assignment};

/// The largest number of requests that one transaction stores.
const MOST_REQUESTS: usize = 64;
/// Once a transaction stores this many changes, no further request joins it.
const ENOUGH_CHANGES: usize = 500;
/// How long a save waits for the database, as any other request does.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request to store changes and active time.
#[derive(Debug, Clone)]
pub(super) struct SaveRequest {
    pub(super) person: PersonId,
    pub(super) assignment: AssignmentId,
    pub(super) changes: Vec<AnnotationChange>,
    pub(super) reports: Vec<ActivityReport>,
    pub(super) now_ms: i64,
}

/// The outcome of each change of a request; `None` where the person has no such assignment.
pub(super) type SaveResponse = Option<Vec<SaveOutcome>>;

/// Saves that wait for the database, by queue. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct SaveQueues(Arc<Mutex<HashMap<QueueKey, Vec<WaitingSave>>>>);

/// The scope of a queue. On PostgreSQL each study has its own, so that a study that is held for
/// long does not delay the saves of others. SQLite has one writer, so one queue.
type QueueKey = Option<StudyId>;

#[derive(Debug)]
struct WaitingSave {
    request: SaveRequest,
    response: oneshot::Sender<Result<SaveResponse>>,
}

impl Store {
    /// Stores an annotator's changes, in their order, and the active times of their browser's tabs,
    /// all in one commit. Returns each change's outcome.
    ///
    /// - A change that is stored already counts as saved. One whose id belongs to another stored
    ///   answer is refused. One whose parent is no longer current is a conflict. In a closed study,
    ///   or from a person who is no longer an annotator, any other change is refused with the
    ///   reason.
    /// - A tab reports its totals so far, so a report may be lost, late or repeated. Time does not
    ///   count after the source was submitted (even if single outputs were given back), from a
    ///   person who is no longer an annotator of the study, or from tabs past the first
    ///   [`MOST_TABS`](domain::work::activity::MOST_TABS).
    ///
    /// Renews the lease, even an expired one, unless another rater was given the source. `None` if
    /// the person has no such assignment.
    ///
    /// # Errors
    /// When the database fails; then nothing is stored.
    pub async fn save_work(
        &self,
        person: PersonId,
        assignment: AssignmentId,
        changes: &[AnnotationChange],
        reports: &[ActivityReport],
        now_ms: i64,
    ) -> Result<Option<Vec<SaveOutcome>>> {
        let key = match self.engine() {
            DatabaseEngine::Sqlite => None,
            DatabaseEngine::Postgres => {
                let mut reader = self.reader().acquire().await?;
                match load_assignment(&mut reader, assignment).await? {
                    Some(of) => Some(of.study),
                    None => return Ok(None),
                }
            }
        };

        let (response, received) = oneshot::channel();
        let request = SaveRequest {
            person,
            assignment,
            changes: changes.to_vec(),
            reports: reports.to_vec(),
            now_ms,
        };

        if let Some(mut server) = self.saves.add(key, WaitingSave { request, response }) {
            let mut store = self.clone();
            store.audit_entry = None;
            // A separate task, so that a cancelled request does not abort the others.
            tokio::spawn(async move {
                while let Some(group) = server.take() {
                    store_and_respond(&store, group).await;
                }
            });
        }

        match timeout(PATIENCE, received).await {
            Ok(Ok(saved)) => saved,
            Ok(Err(_)) => Err(Error::unusable(INTERRUPTED)),
            Err(_) => Err(Error::unusable(
                "The database is busy: try again in a moment.",
            )),
        }
    }
}

/// Shown to people if the task that stores their answers is aborted.
const INTERRUPTED: &str = "The answers could not be stored at the moment: try again.";

impl SaveQueues {
    /// Adds a save to a queue. Returns the queue's worker if none is running; the caller spawns it.
    fn add(&self, key: QueueKey, save: WaitingSave) -> Option<QueueServer> {
        let mut queues = self.lock();
        if let Some(waiting) = queues.get_mut(&key) {
            waiting.push(save);
            return None;
        }
        queues.insert(key, vec![save]);
        Some(QueueServer {
            queues: self.clone(),
            key,
            has_ended: false,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<QueueKey, Vec<WaitingSave>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The worker that takes saves from a queue. The queue ends with it: if it is aborted, the waiting
/// saves get an error, and the next save starts a new queue.
struct QueueServer {
    queues: SaveQueues,
    key: QueueKey,
    has_ended: bool,
}

impl QueueServer {
    /// Takes the saves that have waited longest. `None` if none wait; then the queue has ended.
    fn take(&mut self) -> Option<Vec<WaitingSave>> {
        let mut queues = self.queues.lock();
        let waiting = queues.get_mut(&self.key)?;
        // A client that no longer waits sends the same changes again.
        waiting.retain(|save| !save.response.is_closed());

        let (mut count, mut changes) = (0, 0);
        while count < waiting.len().min(MOST_REQUESTS) && changes < ENOUGH_CHANGES {
            changes += waiting[count].request.changes.len();
            count += 1;
        }

        if count == 0 {
            queues.remove(&self.key);
            self.has_ended = true;
            return None;
        }
        Some(waiting.drain(..count).collect())
    }
}

impl Drop for QueueServer {
    fn drop(&mut self) {
        if !self.has_ended {
            self.queues.lock().remove(&self.key);
        }
    }
}

/// Stores a group of saves and responds to each. If the group fails, each save is stored by itself,
/// so that a bad one does not fail the others.
async fn store_and_respond(store: &Store, group: Vec<WaitingSave>) {
    let (requests, responses): (Vec<_>, Vec<_>) = group
        .into_iter()
        .map(|save| (save.request, save.response))
        .unzip();
    let requests: Arc<[SaveRequest]> = requests.into();

    let results: Vec<Result<SaveResponse>> = match try_group(store, Arc::clone(&requests)).await {
        Ok(saved) => saved.into_iter().map(Ok).collect(),
        Err(error) if requests.len() == 1 => vec![Err(error)],
        // All of them would wait for the same database, one after the other.
        Err(error) if error.may_pass() => {
            tracing::error!(error = error.chain(), "a group of saves is not stored");
            requests.iter().map(|_| Err(same(&error))).collect()
        }
        Err(error) => {
            tracing::debug!(
                error = error.chain(),
                "a group of saves is stored one by one"
            );
            store_one_by_one(store, &requests).await
        }
    };

    for (response, result) in responses.into_iter().zip(results) {
        // The client may be gone; its answers are stored all the same.
        drop(response.send(result));
    }
}

/// Stores each request by itself, until the database fails all.
async fn store_one_by_one(store: &Store, requests: &[SaveRequest]) -> Vec<Result<SaveResponse>> {
    let mut results = Vec::with_capacity(requests.len());
    for request in requests {
        let saved = try_group(store, [request.clone()].into()).await;
        match saved {
            Err(error) if error.may_pass() => {
                results.resize_with(requests.len(), || Err(same(&error)));
                break;
            }
            saved => results.push(saved.map(|saved| saved.into_iter().next().flatten())),
        }
    }
    results
}

/// Stores a group in a task of its own, so that a panic affects no other group.
async fn try_group(store: &Store, requests: Arc<[SaveRequest]>) -> Result<Vec<SaveResponse>> {
    let store = store.clone();
    let saving = tokio::spawn(async move { save_group(&store, &requests).await });
    saving
        .await
        .unwrap_or_else(|_| Err(Error::unusable(INTERRUPTED)))
}

/// A copy of the error, for another request.
fn same(error: &Error) -> Error {
    Error::unusable(error.to_string())
}
