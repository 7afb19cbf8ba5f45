//! Turns for previews: one at a time for each person, and only while a request waits for the preview.
//!
//! A preview reads the first hundred thousand rows of a file, which can take seconds and much memory.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use domain::ids::PersonId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The turns of all people. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct PreviewTurns(Arc<Mutex<HashMap<PersonId, Arc<Semaphore>>>>);

/// A person's turn to read files. Reading stops when it is dropped, as when the sender of a request has left. The next
/// turn begins once reading has stopped.
#[derive(Debug)]
pub struct PreviewTurn(Arc<PreviewReading>);

/// The reading of files in a turn.
#[derive(Debug)]
pub(super) struct PreviewReading {
    is_abandoned: AtomicBool,
    /// Held for as long as anything reads.
    _permit: OwnedSemaphorePermit,
}

impl PreviewTurns {
    /// Returns the person's turn once their previous one is over.
    ///
    /// # Panics
    /// Never: the semaphores are never closed.
    pub async fn take(&self, person: PersonId) -> PreviewTurn {
        let permit = self.semaphore(person).acquire_owned().await;
        PreviewTurn(Arc::new(PreviewReading {
            is_abandoned: AtomicBool::new(false),
            _permit: permit.expect("it is never closed"),
        }))
    }

    fn semaphore(&self, person: PersonId) -> Arc<Semaphore> {
        let mut by_person = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Only the map holds the semaphores of people who neither have a turn nor wait for one.
        by_person.retain(|_, semaphore| Arc::strong_count(semaphore) > 1);

        let own = by_person.entry(person);
        own.or_insert_with(|| Arc::new(Semaphore::new(1))).clone()
    }
}

impl PreviewTurn {
    pub(super) fn reading(&self) -> Arc<PreviewReading> {
        self.0.clone()
    }
}

impl Drop for PreviewTurn {
    fn drop(&mut self) {
        self.0.is_abandoned.store(true, Relaxed);
    }
}

impl PreviewReading {
    pub(super) fn is_abandoned(&self) -> bool {
        self.is_abandoned.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;
    use uuid::Uuid;

    use super::*;

    /// Whether the person gets a turn at once.
    async fn is_free(turns: &PreviewTurns, person: PersonId) -> bool {
        timeout(Duration::from_millis(20), turns.take(person))
            .await
            .is_ok()
    }

    #[tokio::test]
    async fn a_person_has_one_turn_until_all_reading_has_ended() {
        let turns = PreviewTurns::default();
        let [one, other] = [1, 2].map(|number| PersonId(Uuid::from_u128(number)));
        let first = turns.take(one).await;
        let reading = first.reading();
        assert!(!is_free(&turns, one).await);
        assert!(is_free(&turns, other).await);

        assert!(!reading.is_abandoned());
        drop(first);
        assert!(reading.is_abandoned());
        assert!(!is_free(&turns, one).await, "something still reads");
        drop(reading);
        assert!(is_free(&turns, one).await);
        assert!(is_free(&turns, other).await);
        assert_eq!(turns.0.lock().unwrap().len(), 1, "nobody is kept for ever");
    }
}
