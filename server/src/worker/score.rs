//! Outputs are scored by the metrics of their study.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use app::{imports::Progress, metrics};
use domain::{
    ids::{SourceId, StudyId},
    metrics::{SourceSide, TextMetric},
};
use serde::Serialize;
use store::{
    Ending, Job, Store,
    metrics::{OutputScore, ToScore},
};

use super::End;
use crate::clock;

/// Outputs between two commits.
const AT_ONCE: u32 = 256;

/// Up to which event each study was looked through for outputs that lack a score.
#[derive(Debug, Default)]
pub(super) struct Looked(Mutex<HashMap<StudyId, i64>>);

/// What came of it.
#[derive(Debug, Serialize)]
struct Scored {
    scores: u64,
    /// How long it took, in milliseconds.
    ms: i64,
}

/// Queues a scoring of each study that has outputs without a score of one of its metrics, unless one
/// is under way or was called off.
pub(super) async fn queue(store: &Store, looked: &Looked, now_ms: i64) -> store::Result<()> {
    for (study, newest) in store.newest_events().await? {
        let before = looked.get(study);
        if before == newest {
            continue;
        }
        if store.may_lack_scores(study, before).await? && lacks_scores(store, study).await? {
            if metrics::rests(store, study, now_ms).await? {
                continue;
            }
            metrics::enqueue(store, study, (clock::new_id, now_ms)).await?;
        }
        looked.set(study, newest);
    }
    Ok(())
}

async fn lacks_scores(store: &Store, study: StudyId) -> store::Result<bool> {
    for metric in store.metrics(study).await? {
        let ours = metrics::text_metric(&metric).is_some();
        if ours && store.count_to_score(study, metric.id).await? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Scores what lacks a score, a commit every few outputs: what is done stays done, and doing it again
/// does the rest.
pub(super) async fn run(store: Store, job: Job, progress: Arc<Progress>) -> End {
    match score(&store, &job, &progress).await {
        Ok(Some(scored)) => {
            let result = serde_json::to_value(scored).expect("plain data");
            End::Over(Ending::Done(result), Vec::new())
        }
        Ok(None) => End::Stopped,
        Err(error) => {
            tracing::error!(job = %job.id, %error, "scoring failed");
            let why = "Outputs could not be scored; scores so far are kept.";
            End::Over(Ending::Failed(why.to_owned()), Vec::new())
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("a metric broke off: {0}")]
    Broken(#[from] tokio::task::JoinError),
    #[error("the study is gone")]
    NoStudy,
}

async fn score(store: &Store, job: &Job, progress: &Progress) -> Result<Option<Scored>, Failure> {
    let study = job.study.ok_or(Failure::NoStudy)?;
    let mut chosen = Vec::new();
    let mut total = 0;
    for metric in store.metrics(study).await? {
        if let Some(named) = metrics::text_metric(&metric) {
            total += store.count_to_score(study, metric.id).await?;
            chosen.push((metric.id, named));
        }
    }
    progress.set_total(total);
    let (begun, mut scores) = (clock::now_ms(), 0);
    for (metric, named) in chosen {
        loop {
            let some = store.outputs_to_score(study, metric, AT_ONCE).await?;
            if some.is_empty() {
                break;
            }
            if progress.stops() {
                return Ok(None);
            }
            let count = some.len() as u64;
            let found = tokio::task::spawn_blocking(move || by_texts(named, &some)).await?;
            scores += store
                .put_scores(study, metric, &found, clock::now_ms())
                .await?;
            progress.add(count);
        }
    }
    let ms = clock::now_ms() - begun;
    tracing::info!(scores, ms, "scored");
    Ok(Some(Scored { scores, ms }))
}

fn by_texts(metric: TextMetric, outputs: &[ToScore]) -> Vec<OutputScore> {
    let mut sides = HashMap::<SourceId, SourceSide>::new();
    let score = |it: &ToScore| {
        let side = sides
            .entry(it.source)
            .or_insert_with(|| SourceSide::new(&it.source_text, &it.references));
        let value = metric.score(side, &it.text);
        OutputScore {
            output: it.output,
            value: value.ok_or_else(|| "the metric has no value for this text".to_owned()),
            references: if metric.needs_references() {
                it.references.len() as i64
            } else {
                0
            },
        }
    };
    outputs.iter().map(score).collect()
}

impl Looked {
    fn get(&self, study: StudyId) -> i64 {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&study).copied().unwrap_or(0)
    }

    fn set(&self, study: StudyId, event: i64) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(study, event);
    }
}
