//! Values of studies, such as lists and counts, as of their newest events.

use std::sync::{Arc, Mutex as Lock, PoisonError};

use domain::ids::StudyId;
use store::{Store, rating_rows::RatingScope};
use tokio::sync::Mutex;

use super::MAX_STUDIES;

/// One value for each study, read again once the study has a new event.
///
/// Data that changes without an event, such as the active time of an annotator who answers nothing, is only as new as
/// the newest event.
pub(crate) struct EventCache<T> {
    /// The slots in the order of their last use.
    entries: Lock<Vec<(StudyId, Arc<CacheSlot<T>>)>>,
}

/// The value of a study with the number of the event that it includes.
type CacheSlot<T> = Mutex<Option<(i64, Arc<T>)>>;

impl<T> Default for EventCache<T> {
    fn default() -> Self {
        Self {
            entries: Lock::default(),
        }
    }
}

impl<T> EventCache<T> {
    /// The value of the study. If it is missing or out of date, `load` reads it, given the last value with the
    /// event that it includes. Requests for the same study wait for one another, so that it is read once.
    ///
    /// # Errors
    /// When the database or `load` fails.
    pub(crate) async fn get<E: From<store::Error>>(
        &self,
        store: &Store,
        study: StudyId,
        load: impl AsyncFnOnce(Option<(i64, Arc<T>)>) -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let slot = self.slot(study);
        let mut cached = slot.lock().await;

        // The event number is read before the value, so that the value is at least as new as the number.
        let event = store.newest_event(study).await?.unwrap_or(0);
        if let Some((known, value)) = &*cached
            && *known == event
        {
            return Ok(value.clone());
        }

        let value = Arc::new(load(cached.clone()).await?);
        *cached = Some((event, value.clone()));
        Ok(value)
    }

    fn slot(&self, study: StudyId) -> Arc<CacheSlot<T>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let index = entries.iter().position(|(known, _)| *known == study);
        let entry = index.map_or_else(|| (study, Arc::default()), |index| entries.remove(index));
        let slot = entry.1.clone();

        entries.push(entry);
        if entries.len() > MAX_STUDIES {
            entries.remove(0);
        }
        slot
    }
}

/// One value for each study and scope of judgements. Clones share the values.
pub(crate) struct ScopedEventCache<T> {
    by_scope: Arc<[EventCache<T>; 3]>,
}

impl<T> Clone for ScopedEventCache<T> {
    fn clone(&self) -> Self {
        Self {
            by_scope: self.by_scope.clone(),
        }
    }
}

impl<T> Default for ScopedEventCache<T> {
    fn default() -> Self {
        Self {
            by_scope: Arc::default(),
        }
    }
}

impl<T> ScopedEventCache<T> {
    /// As [`EventCache::get`], for a choice of judgements.
    pub(crate) async fn get<E: From<store::Error>>(
        &self,
        store: &Store,
        study: StudyId,
        scope: RatingScope,
        load: impl AsyncFnOnce(Option<(i64, Arc<T>)>) -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let [handed_in, including_open, consensus] = &*self.by_scope;
        let cache = match scope {
            RatingScope::HandedIn => handed_in,
            RatingScope::IncludingOpen => including_open,
            RatingScope::Consensus => consensus,
        };

        cache.get(store, study, load).await
    }
}
