use domain::{
    ids::{PersonId, StudyId},
    work::pace::{FinishedSource, WorkSession, estimate_source_ms},
};

use app::{error::Refusal, request::refuse, services};

/// The number of most recently submitted sources whose times are used for annotators without times
/// of their own.
const RECENT_SOURCES: u32 = 200;

/// The time that a source takes the annotator, and their current session if it is long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnnotatorPace {
    /// The estimated active time of one more source in milliseconds. `None` without times to
    /// estimate it from.
    pub source_ms: Option<u64>,
    /// The current session, if it has lasted long enough for a break.
    pub long_session: Option<WorkSession>,
}

/// Reads the annotator's own times, or the newest of all annotators as long as there are none.
pub async fn load_pace(study: StudyId, person: PersonId) -> Result<AnnotatorPace, Refusal> {
    let services = services();
    let store = services.store;
    let finished = store.finished_sources(study, person).await;
    let finished = finished.map_err(refuse)?;

    let counted = |source: &&FinishedSource| source.counts && source.active_ms > 0;
    let own: Vec<u64> = finished
        .iter()
        .filter(counted)
        .map(|source| source.active_ms)
        .collect();
    let of_others = if own.is_empty() {
        let times = store.recent_active_times(study, RECENT_SOURCES).await;
        times.map_err(refuse)?
    } else {
        vec![]
    };

    let session = WorkSession::current(&finished, services.context.now_ms());

    Ok(AnnotatorPace {
        source_ms: estimate_source_ms(&own, || of_others),
        long_session: session.filter(WorkSession::is_long),
    })
}
