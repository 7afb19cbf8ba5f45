//! The queue of saves: whatever waits while a transaction commits is stored by the next one, together.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::{
    ids::{AssignmentId, PersonId},
    work::{
        activity::ActivityReport,
        change::{AnnotationChange, SaveOutcome},
    },
};
use tokio::sync::oneshot;

use super::save::save_group;
use crate::{Error, Result, Store};

/// The most requests that one transaction stores.
const MOST_REQUESTS: usize = 64;
/// No further request joins a transaction that stores as many changes: others wait for it.
const ENOUGH_CHANGES: usize = 500;

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

/// Saves that wait for the database; all clones are the same queue.
#[derive(Debug, Clone, Default)]
pub(crate) struct SaveQueue(Arc<Mutex<WaitingSaves>>);

#[derive(Debug, Default)]
struct WaitingSaves {
    waiting: Vec<WaitingSave>,
    /// Whether a task stores them.
    is_served: bool,
}

#[derive(Debug)]
struct WaitingSave {
    request: SaveRequest,
    response: oneshot::Sender<Result<SaveResponse>>,
}

impl Store {
    /// Stores an annotator's changes, in their order, and how long the tabs of their browser were active, all in one
    /// commit, and tells of each change what came of it.
    ///
    /// - A change that was stored before is saved; one under whose id another answer is stored is refused, because
    ///   it is stored nowhere; one whose parent is no longer current is a conflict; in a closed study, and of a
    ///   person who is no longer an annotator, each other one is refused with the reason.
    /// - A tab reports its totals so far, so that a report may be lost, come late or twice. Not counted is what comes
    ///   after the source was submitted, also where single outputs were given back, what comes of a person who is
    ///   no longer an annotator of the study, and any tab past the first
    ///   [`MOST_TABS`](domain::work::activity::MOST_TABS).
    ///
    /// Renews the lease: unless another rater was given the source, one that ran out is still the annotator's.
    /// `None` where the person has no such assignment.
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
        let (response, received) = oneshot::channel();
        let request = SaveRequest {
            person,
            assignment,
            changes: changes.to_vec(),
            reports: reports.to_vec(),
            now_ms,
        };
        if self.saves.add(WaitingSave { request, response }) {
            // A task of its own: who asks may go away, and the others still wait.
            let mut store = self.clone();
            store.audit_entry = None;
            tokio::spawn(async move {
                let mut server = QueueServer::new(store.saves.clone());
                while let Some(group) = server.take() {
                    answer(&store, group).await;
                }
            });
        }
        let stopped = || Error::unusable("The program is shutting down; try again later.");
        received.await.unwrap_or_else(|_| Err(stopped()))
    }
}

impl SaveQueue {
    /// Adds a save. Whether nobody serves the queue: then the caller does.
    fn add(&self, save: WaitingSave) -> bool {
        let mut saves = self.lock();
        saves.waiting.push(save);
        !std::mem::replace(&mut saves.is_served, true)
    }

    /// The saves that have waited longest; `None` where there are none, and then nobody serves the queue any more.
    fn take(&self) -> Option<Vec<WaitingSave>> {
        let mut saves = self.lock();
        let mut changes = 0;
        let fits = |save: &&WaitingSave| {
            let has_room = changes < ENOUGH_CHANGES;
            changes += save.request.changes.len();
            has_room
        };
        let count = saves
            .waiting
            .iter()
            .take(MOST_REQUESTS)
            .take_while(fits)
            .count();
        saves.is_served = count > 0;
        (count > 0).then(|| saves.waiting.drain(..count).collect())
    }

    fn lock(&self) -> MutexGuard<'_, WaitingSaves> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves the queue. Where its task breaks off, those who wait are told, and the next save begins another one.
struct QueueServer {
    queue: SaveQueue,
    is_done: bool,
}

impl QueueServer {
    const fn new(queue: SaveQueue) -> Self {
        Self {
            queue,
            is_done: false,
        }
    }

    fn take(&mut self) -> Option<Vec<WaitingSave>> {
        let group = self.queue.take();
        self.is_done = group.is_none();
        group
    }
}

impl Drop for QueueServer {
    fn drop(&mut self) {
        if !self.is_done {
            *self.queue.lock() = WaitingSaves::default();
        }
    }
}

/// Stores a group of saves and answers each of them. Where the group fails, each is tried by itself, so that what
/// is wrong with one does not fail the others.
async fn answer(store: &Store, group: Vec<WaitingSave>) {
    let (requests, responses): (Vec<_>, Vec<_>) = group
        .into_iter()
        .map(|save| (save.request, save.response))
        .unzip();
    let results: Vec<Result<SaveResponse>> = match save_group(store, &requests).await {
        Ok(saved) => saved.into_iter().map(Ok).collect(),
        Err(error) if requests.len() == 1 => vec![Err(error)],
        // All of them would wait for the same database, one after the other.
        Err(error) if error.may_pass() => {
            let sentence = error.to_string();
            tracing::error!(
                error = error.chain(),
                saves = requests.len(),
                "a group of saves failed"
            );
            requests
                .iter()
                .map(|_| Err(Error::unusable(sentence.clone())))
                .collect()
        }
        Err(error) => {
            tracing::debug!(
                error = error.chain(),
                "a group of saves is stored one by one"
            );
            let mut results = Vec::with_capacity(requests.len());
            for request in &requests {
                let saved = save_group(store, std::slice::from_ref(request)).await;
                results.push(saved.map(|mut saved| saved.pop().flatten()));
            }
            results
        }
    };
    for (response, result) in responses.into_iter().zip(results) {
        // Who asked may be gone; the answers are stored all the same.
        drop(response.send(result));
    }
}
