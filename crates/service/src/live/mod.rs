//! Studies in memory: the data from which figures follow, kept up to date event by event.
//!
//! The database remains the truth. Every read first catches up with the study's event counter: it reads
//! again the sources that new events name. So any number of processes show the same figures, and one more
//! rating costs the reading of one source. Figures are functions of the rows, kept until the next event.

mod cache;
mod corrections;
mod dimension_ratings;
mod event_cache;
mod history;
mod progress;
mod snapshot;
mod source_work;

use std::{
    fmt,
    sync::{Arc, Mutex as Lock, PoisonError},
};

use domain::{ids::StudyId, study::WantedRaters};
use store::{
    SourceEntry, Store, consensus::ConsensusEntry, rating_rows::RatingScope,
    unjudged::UnjudgedOutputs,
};
use tokio::sync::Mutex;

pub use self::{
    cache::{CacheKey, FigureKey},
    corrections::StudyCorrections,
    dimension_ratings::DimensionRatings,
    history::{FEWEST_PAIRABLE, drawable},
    progress::StudyProgress,
    snapshot::{SourceJudgements, StudySnapshot},
    source_work::{ReviewedEdits, SourceWork},
};
pub(crate) use self::{
    event_cache::{EventCache, ScopedEventCache},
    history::agreement_history,
};
use crate::computation::{FigureError, compute};

/// The most studies that are kept; above that, the least recently used one is dropped.
const MAX_STUDIES: usize = 16;

/// The most changed sources that are read one by one; if more changed, the whole study is read.
const MAX_SINGLE_READS: usize = 64;

/// The studies that this process holds in memory. Cloning is cheap: all clones share them.
#[derive(Clone)]
pub struct LiveStudies {
    entries: Arc<Lock<Vec<LiveStudyEntry>>>,
    progress: Arc<EventCache<StudyProgress>>,
    sources: Arc<EventCache<Vec<SourceEntry>>>,
    unjudged: Arc<EventCache<Vec<UnjudgedOutputs>>>,
    consensus: Arc<EventCache<Vec<ConsensusEntry>>>,
    now_ms: fn() -> i64,
}

/// A study with one scope of ratings.
struct LiveStudyEntry {
    study: StudyId,
    scope: RatingScope,
    snapshot: Arc<Mutex<StudySnapshot>>,
}

impl fmt::Debug for LiveStudies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveStudies").finish_non_exhaustive()
    }
}

impl LiveStudies {
    /// Holds no studies yet; `now_ms` is the clock, in milliseconds since 1970.
    #[must_use]
    pub fn new(now_ms: fn() -> i64) -> Self {
        Self {
            entries: Arc::default(),
            progress: Arc::default(),
            sources: Arc::default(),
            unjudged: Arc::default(),
            consensus: Arc::default(),
            now_ms,
        }
    }

    /// Returns what `figures` computes from the current state of the study, on a thread that may block.
    /// Reads of the same study run one after another.
    ///
    /// # Errors
    /// When the database fails, or `figures` panics.
    pub async fn read<T: Send + 'static>(
        &self,
        store: &Store,
        study: StudyId,
        scope: RatingScope,
        figures: impl FnOnce(&StudySnapshot) -> T + Send + 'static,
    ) -> Result<T, FigureError> {
        let mut snapshot = self.snapshot(study, scope).lock_owned().await;
        snapshot.catch_up(store, study, scope, self.now_ms).await?;
        compute(move || figures(&snapshot)).await
    }

    /// The progress of the study, as of its newest event.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn progress(
        &self,
        store: &Store,
        study: StudyId,
        wanted: impl Into<WantedRaters>,
    ) -> store::Result<Arc<StudyProgress>> {
        let wanted = wanted.into();
        let load = async |known| StudyProgress::load(store, study, wanted.clone(), known).await;
        let progress = self.progress.get(store, study, load).await?;

        match *progress.wanted() == wanted {
            true => Ok(progress),
            // Settings may change without an event.
            false => Ok(Arc::new(load(None).await?)),
        }
    }

    /// The study's sources in their order, as of its newest event.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn source_list(
        &self,
        store: &Store,
        study: StudyId,
    ) -> store::Result<Arc<Vec<SourceEntry>>> {
        let load = async |_| store.sources(study).await;
        self.sources.get(store, study, load).await
    }

    /// The systems with outputs that annotators could not judge, as of the study's newest event.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn unjudged_outputs(
        &self,
        store: &Store,
        study: StudyId,
    ) -> store::Result<Arc<Vec<UnjudgedOutputs>>> {
        let load = async |_| store.unjudged_outputs(study).await;
        self.unjudged.get(store, study, load).await
    }

    /// The study's sources that at least two raters handed in, as of its newest event.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn consensus_list(
        &self,
        store: &Store,
        study: StudyId,
    ) -> store::Result<Arc<Vec<ConsensusEntry>>> {
        let load = async |_| store.consensus_list(study).await;
        self.consensus.get(store, study, load).await
    }

    /// The study's snapshot, which is empty if it is new. Moves it to the end of the entries, which are in the order of
    /// their last use.
    fn snapshot(&self, study: StudyId, scope: RatingScope) -> Arc<Mutex<StudySnapshot>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let index = entries
            .iter()
            .position(|entry| entry.study == study && entry.scope == scope);

        let entry = index.map_or_else(
            || LiveStudyEntry {
                study,
                scope,
                snapshot: Arc::default(),
            },
            |index| entries.remove(index),
        );

        let snapshot = entry.snapshot.clone();
        entries.push(entry);
        if entries.len() > MAX_STUDIES {
            entries.remove(0);
        }
        snapshot
    }
}

#[cfg(test)]
mod panic_tests;
