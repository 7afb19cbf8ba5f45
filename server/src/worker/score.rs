//! Outputs are scored by the metrics of their study.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use domain::ids::StudyId;
use learn::metric::HybridModel;
use serde::Serialize;
use service::{
    import::RunningJobProgress,
    metrics::{self, UnscoredMetric},
};
use store::{
    Job, JobKind, JobOutcome, Store,
    metrics::{MetricOrigin, OutputScore, OutputToScore},
};
use tokio::task::spawn_blocking;

use super::JobEnd;
use crate::{
    clock,
    metrics::{MetricError, MetricKind, MetricResources, MetricScorer, ScoringBatch, TunedMetric},
};

/// Outputs between two commits.
const BATCH_SIZE: u32 = 256;

/// Up to which event each study was looked through for outputs that lack a score.
#[derive(Debug, Default)]
pub(super) struct ScannedEvents(Mutex<HashMap<StudyId, i64>>);

/// What came of it.
#[derive(Debug, Serialize)]
struct ScoreJobResult {
    scores: u64,
    /// How long it took, in milliseconds.
    ms: i64,
    /// The metrics that this server cannot compute.
    left: Vec<UnscoredMetric>,
}

/// Queues a scoring of each study that has outputs without a score of one of its metrics, unless one
/// is under way or was called off.
pub(super) async fn queue(
    store: &Store,
    means: &Arc<MetricResources>,
    looked: &ScannedEvents,
    now_ms: i64,
) -> Result<(), ScoreJobError> {
    for (study, newest) in store.newest_events().await? {
        let before = looked.get(study);
        if before == newest {
            continue;
        }
        if store.may_lack_scores(study, before).await? && lacks_scores(store, means, study).await? {
            if metrics::failed_recently(store, study, JobKind::Score, now_ms).await? {
                continue;
            }
            metrics::enqueue(store, study, clock::CONTEXT).await?;
        }
        looked.set(study, newest);
    }
    Ok(())
}

/// Whether a metric that can be computed here has something to score.
async fn lacks_scores(
    store: &Store,
    means: &Arc<MetricResources>,
    study: StudyId,
) -> Result<bool, ScoreJobError> {
    for metric in store.metrics(study).await? {
        let lacks = metric.origin != MetricOrigin::Imported
            && store.count_to_score(study, metric.id).await? > 0;
        if !lacks {
            continue;
        }
        // A model with an encoder of its own is large; it needs nothing but ONNX Runtime.
        let can = match metric.model {
            Some(_) if TunedMetric::named(&metric.name).is_some() => {
                let means = means.clone();
                spawn_blocking(move || means.has_encoder()).await?
            }
            _ => matches!(
                load_scorer(store, means, study, &metric).await?,
                Some(Ok(_))
            ),
        };
        if can {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What computes a metric of the study here, or why it cannot be computed; `None` where nothing is to be
/// computed: it was imported, or a newer version of the program has another formula for it.
async fn load_scorer(
    store: &Store,
    means: &Arc<MetricResources>,
    study: StudyId,
    metric: &store::metrics::StudyMetric,
) -> Result<Option<Result<MetricScorer, String>>, ScoreJobError> {
    if let Some(text) = metrics::text_metric(metric) {
        return Ok(Some(Ok(MetricScorer::Text(text))));
    }
    let means = means.clone();
    if let Some(model) = metric.model {
        let Some(file) = store.model_file(study, model).await? else {
            return Ok(Some(Err("its model is gone".to_owned())));
        };
        let tuned = TunedMetric::named(&metric.name).is_some();
        let open = move || -> anyhow::Result<_> {
            Ok(match tuned {
                true => MetricScorer::Tuned(Arc::new(means.tuned(&file)?)),
                false => MetricScorer::Learned(Arc::new(means.learned(HybridModel::read(&file)?)?)),
            })
        };
        let opened = spawn_blocking(open).await?;
        return Ok(Some(opened.map_err(|why| format!("{why:#}"))));
    }
    let named = match MetricKind::named(&metric.name) {
        Ok(MetricKind::Text(_)) | Err(_) => return Ok(None),
        Ok(_) if metric.origin == MetricOrigin::Imported => return Ok(None),
        Ok(named) => named,
    };
    let found = match spawn_blocking(move || means.scorer(named)).await? {
        Ok(scorer) if scorer.version() == metric.signature => Ok(scorer),
        Ok(scorer) => Err(format!(
            "this server has another version of it, {}: choose that one",
            scorer.version()
        )),
        Err(MetricError::Missing { why, .. }) => Err(why),
        Err(error) => Err(error.to_string()),
    };
    Ok(Some(found))
}

/// Scores what lacks a score, a commit every few outputs: what is done stays done, and doing it again
/// does the rest.
pub(super) async fn run(
    store: Store,
    means: Arc<MetricResources>,
    job: Job,
    progress: Arc<RunningJobProgress>,
) -> JobEnd {
    match score(&store, &means, &job, &progress).await {
        Ok(Some(scored)) => {
            let result = serde_json::to_value(scored).expect("plain data");
            JobEnd::Finished(JobOutcome::Done(result), Vec::new())
        }
        Ok(None) => JobEnd::Stopped,
        Err(error) => {
            tracing::error!(job = %job.id, %error, "scoring failed");
            let why = "Outputs could not be scored; scores so far are kept.";
            JobEnd::Finished(JobOutcome::Failed(why.to_owned()), Vec::new())
        }
    }
}

/// Why nothing more is scored.
#[derive(Debug, thiserror::Error)]
pub(super) enum ScoreJobError {
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("a metric broke off: {0}")]
    Broken(#[from] tokio::task::JoinError),
    #[error("a metric cannot score: {0}")]
    Metric(#[from] MetricError),
    #[error("the study is gone")]
    NoStudy,
}

async fn score(
    store: &Store,
    means: &Arc<MetricResources>,
    job: &Job,
    progress: &RunningJobProgress,
) -> Result<Option<ScoreJobResult>, ScoreJobError> {
    let study = job.study.ok_or(ScoreJobError::NoStudy)?;
    let (mut due, mut left) = (Vec::new(), Vec::new());
    let mut total = 0;
    for metric in store.metrics(study).await? {
        let count = store.count_to_score(study, metric.id).await?;
        if count > 0 && metric.origin != MetricOrigin::Imported {
            total += count;
            due.push(metric);
        }
    }
    progress.set_total(total);
    let (begun, mut scores) = (clock::now_ms(), 0);
    for metric in due {
        // One at a time: a model may be large.
        let scorer = match load_scorer(store, means, study, &metric).await? {
            Some(Ok(scorer)) => scorer,
            Some(Err(why)) => {
                tracing::warn!(metric = metric.name, why, "a metric was left out");
                let metric = metric.name;
                left.push(UnscoredMetric { metric, why });
                continue;
            }
            None => continue,
        };
        loop {
            let some = store.outputs_to_score(study, metric.id, BATCH_SIZE).await?;
            if some.is_empty() {
                break;
            }
            if progress.stop_requested() {
                return Ok(None);
            }
            let (count, scorer) = (some.len() as u64, scorer.clone());
            let by_references = metric.uses_references;
            let found =
                spawn_blocking(move || compute_scores(&scorer, by_references, &some)).await??;
            scores += store
                .put_scores(study, metric.id, &found, clock::now_ms())
                .await?;
            progress.add(count);
        }
    }
    let ms = clock::now_ms() - begun;
    tracing::info!(scores, ms, "scored");
    Ok(Some(ScoreJobResult { scores, ms, left }))
}

fn compute_scores(
    scorer: &MetricScorer,
    by_references: bool,
    outputs: &[OutputToScore],
) -> Result<Vec<OutputScore>, MetricError> {
    let mut sheet = ScoringBatch::default();
    for it in outputs {
        let source = it.source.to_string();
        sheet.add_with_key(&source, &it.source_text, &it.text, || &it.references);
    }
    let score = |(it, value): (&OutputToScore, Option<f64>)| OutputScore {
        output: it.output,
        value: value.ok_or_else(|| "the metric has no value for this text".to_owned()),
        references: if by_references {
            it.references.len() as i64
        } else {
            0
        },
    };
    let values = scorer.scores(&sheet)?;
    Ok(outputs.iter().zip(values).map(score).collect())
}

impl ScannedEvents {
    fn get(&self, study: StudyId) -> i64 {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&study).copied().unwrap_or(0)
    }

    fn set(&self, study: StudyId, event: i64) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(study, event);
    }
}
