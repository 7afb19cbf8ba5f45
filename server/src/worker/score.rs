//! Scoring jobs score outputs by the metrics of their study.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use domain::{ids::StudyId, metrics::LearnedMetricKind};
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
    metrics::{MetricError, MetricKind, MetricResources, MetricScorer, ScoringBatch},
};

/// Outputs per transaction.
const BATCH_SIZE: u32 = 256;

/// The newest event at which each study was checked for outputs that lack a score.
#[derive(Debug, Default)]
pub(super) struct ScannedEvents(Mutex<HashMap<StudyId, i64>>);

/// The result of a scoring job.
#[derive(Debug, Serialize)]
struct ScoreJobResult {
    scores: u64,
    /// The duration, in milliseconds.
    ms: i64,
    /// The metrics that this server could not compute.
    left: Vec<UnscoredMetric>,
}

/// Queues a scoring job for each study that has outputs without a score by one of its metrics, unless a job is
/// running, or the last one was cancelled recently, or failed recently and since this server started.
pub(super) async fn queue(
    store: &Store,
    resources: &Arc<MetricResources>,
    scanned_events: &ScannedEvents,
    (now_ms, started_ms): (i64, i64),
) -> Result<(), ScoreJobError> {
    for (study, newest) in store.newest_events().await? {
        let before = scanned_events.get(study);
        if before == newest {
            continue;
        }

        if store.may_lack_scores(study, before).await?
            && lacks_scores(store, resources, study).await?
        {
            if metrics::failed_recently(store, study, JobKind::Score, now_ms, started_ms).await? {
                // Not set as scanned, so that the next scan checks the study again.
                continue;
            }
            metrics::enqueue(store, study, clock::CONTEXT).await?;
        }

        scanned_events.set(study, newest);
    }
    Ok(())
}

/// Whether a metric that this server can compute lacks scores.
async fn lacks_scores(
    store: &Store,
    resources: &Arc<MetricResources>,
    study: StudyId,
) -> Result<bool, ScoreJobError> {
    for metric in store.metrics(study).await? {
        let lacks = metric.origin != MetricOrigin::Imported
            && store.count_to_score(study, metric.id).await? > 0;
        if !lacks {
            continue;
        }

        // A model with an encoder of its own is large and needs only ONNX Runtime, so it is not opened for
        // this.
        let can = match metric.model {
            Some(_) if carries_encoder(&metric.name) => {
                let resources = resources.clone();
                spawn_blocking(move || resources.has_encoder()).await?
            }
            _ => matches!(
                load_scorer(store, resources, study, &metric).await?,
                Some(Ok(_))
            ),
        };

        if can {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether models of a metric carry their encoder.
fn carries_encoder(metric: &str) -> bool {
    let kind = metric.parse::<LearnedMetricKind>();
    kind.is_ok_and(|kind| kind.trainer().tunes_encoder())
}

/// Loads the scorer of a study's metric, or the reason why this server cannot compute it. `None` if there is
/// nothing to compute: the metric was imported, or a newer version of the program has another formula for it.
async fn load_scorer(
    store: &Store,
    resources: &Arc<MetricResources>,
    study: StudyId,
    metric: &store::metrics::StudyMetric,
) -> Result<Option<Result<MetricScorer, String>>, ScoreJobError> {
    if let Some(text) = metrics::text_metric(metric) {
        return Ok(Some(Ok(MetricScorer::Text(text))));
    }

    let resources = resources.clone();
    if let Some(model) = metric.model {
        let Some(file) = store.model_file(study, model).await? else {
            return Ok(Some(Err("its model is gone".to_owned())));
        };
        let opened = spawn_blocking(move || resources.open_stored_model(&file)).await?;
        let scorer = opened.map(|scorer| MetricScorer::Learned(Arc::new(scorer)));
        return Ok(Some(scorer.map_err(|error| format!("{error:#}"))));
    }

    let kind = match MetricKind::named(&metric.name) {
        Ok(MetricKind::Text(_)) | Err(_) => return Ok(None),
        Ok(_) if metric.origin == MetricOrigin::Imported => return Ok(None),
        Ok(kind) => kind,
    };

    let scorer = match spawn_blocking(move || resources.scorer(kind)).await? {
        Ok(scorer) if scorer.version() == metric.signature => Ok(scorer),
        Ok(scorer) => Err(format!(
            "this server has another version of it, {}: choose that one",
            scorer.version()
        )),
        Err(MetricError::Missing { why, .. }) => Err(why),
        Err(error) => Err(error.to_string()),
    };
    Ok(Some(scorer))
}

/// Scores the outputs that lack a score, in small transactions: finished batches are kept, and the next job
/// does the rest.
pub(super) async fn run(
    store: Store,
    resources: Arc<MetricResources>,
    job: Job,
    progress: Arc<RunningJobProgress>,
) -> JobEnd {
    match score(&store, &resources, &job, &progress).await {
        Ok(Some(score_result)) => {
            let result = serde_json::to_value(score_result).expect("plain data");
            JobEnd::Finished(JobOutcome::Done(result), Vec::new())
        }
        Ok(None) => JobEnd::Stopped,
        Err(ScoreJobError::Store(error)) if error.may_pass() => JobEnd::Unavailable(error),
        Err(error) => {
            tracing::error!(job = %job.id, %error, "scoring failed");
            let why = "Outputs could not be scored; scores so far are kept.";
            JobEnd::Finished(JobOutcome::Failed(why.to_owned()), Vec::new())
        }
    }
}

/// A reason why a scoring job failed.
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
    resources: &Arc<MetricResources>,
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

    let (started_ms, mut scores) = (clock::now_ms(), 0);
    for metric in due {
        // Only one scorer is open at a time: a model may be large.
        let scorer = match load_scorer(store, resources, study, &metric).await? {
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
            let outputs = store.outputs_to_score(study, metric.id, BATCH_SIZE).await?;
            if outputs.is_empty() {
                break;
            }
            if progress.stop_requested() {
                return Ok(None);
            }

            let (count, scorer) = (outputs.len() as u64, scorer.clone());
            let by_references = metric.uses_references;
            let computed =
                spawn_blocking(move || compute_scores(&scorer, by_references, &outputs)).await??;
            scores += store
                .put_scores(study, metric.id, &computed, clock::now_ms())
                .await?;
            progress.add(count);
        }
    }

    let ms = clock::now_ms() - started_ms;
    tracing::info!(scores, ms, "scored");
    Ok(Some(ScoreJobResult { scores, ms, left }))
}

fn compute_scores(
    scorer: &MetricScorer,
    by_references: bool,
    outputs: &[OutputToScore],
) -> Result<Vec<OutputScore>, MetricError> {
    let mut batch = ScoringBatch::default();
    for output in outputs {
        let source = output.source.to_string();
        batch.add_with_key(&source, &output.source_text, &output.text, || {
            &output.references
        });
    }

    let score = |(output, value): (&OutputToScore, Option<f64>)| OutputScore {
        output: output.output,
        value: value.ok_or_else(|| "the metric has no value for this text".to_owned()),
        references: if by_references {
            output.references.len() as i64
        } else {
            0
        },
    };

    let values = scorer.scores(&batch)?;
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
