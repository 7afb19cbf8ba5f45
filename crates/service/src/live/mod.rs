//! Studies in memory: their ratings with the sums that figures follow from, kept up to date event by
//! event (server only).
//!
//! The database stays the truth. Whoever asks for a figure first catches up with the study's event
//! counter, by reading again the sources that its new events name. So any number of processes show
//! the same, and one more rating costs one source.

mod corrections;
mod dimension_sums;
mod history;
mod snapshot;
mod source_work;

use std::{
    fmt,
    sync::{Arc, Mutex as Lock, PoisonError},
};

use domain::ids::StudyId;
use store::{Store, rating_rows::RatingScope};
use tokio::{sync::Mutex, task::spawn_blocking};

pub use self::{
    corrections::StudyCorrections,
    dimension_sums::DimensionSums,
    history::AgreementPoint,
    snapshot::{SourceJudgements, StudySnapshot},
    source_work::SourceWork,
};

/// How many studies are kept; the one that was asked for longest ago makes room.
const KEPT: usize = 16;

/// The studies that this process holds in memory. Cloning it is cheap: all clones share them.
#[derive(Clone)]
pub struct LiveStudies {
    entries: Arc<Lock<Vec<LiveStudyEntry>>>,
    now_ms: fn() -> i64,
}

struct LiveStudyEntry {
    key: (StudyId, RatingScope),
    snapshot: Arc<Mutex<StudySnapshot>>,
}

impl fmt::Debug for LiveStudies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live").finish_non_exhaustive()
    }
}

impl LiveStudies {
    /// None yet; `now_ms` tells the time, in milliseconds since 1970.
    #[must_use]
    pub fn new(now_ms: fn() -> i64) -> Self {
        Self {
            entries: Arc::default(),
            now_ms,
        }
    }

    /// What `figures` makes of the study as it is now, on a thread that may compute. Whoever asks for
    /// the same study waits for their turn.
    ///
    /// # Errors
    /// When the database fails.
    ///
    /// # Panics
    /// When `figures` does.
    pub async fn read<T: Send + 'static>(
        &self,
        store: &Store,
        (study, which): (StudyId, RatingScope),
        figures: impl FnOnce(&StudySnapshot) -> T + Send + 'static,
    ) -> store::Result<T> {
        let mut held = self.entry((study, which)).lock_owned().await;
        held.catch_up(store, study, which, self.now_ms).await?;
        let computing = spawn_blocking(move || figures(&held));
        Ok(computing.await.expect("computing does not panic"))
    }

    fn entry(&self, of: (StudyId, RatingScope)) -> Arc<Mutex<StudySnapshot>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let known = entries.iter().position(|entry| entry.key == of);
        let entry = known.map_or_else(
            || LiveStudyEntry {
                key: of,
                snapshot: Arc::default(),
            },
            |at| entries.remove(at),
        );
        let held = entry.snapshot.clone();
        entries.push(entry);
        if entries.len() > KEPT {
            entries.remove(0);
        }
        held
    }
}
