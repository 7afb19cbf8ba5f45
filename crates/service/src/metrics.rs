//! Automatic metrics of a study: choosing them, and queueing the jobs that compute their scores. The server
//! runs these jobs.

use domain::{
    ids::{JobId, MetricId, StudyId},
    metrics::{ReferenceCount, ScoreDirection, ScoreScale, TextMetric},
};
use serde::{Deserialize, Serialize};
use store::{
    Job, JobKind, JobState, NewJob, Store,
    metrics::{MetricOrigin, NewMetric, StudyMetric},
};

use crate::Context;

/// The number of a study's latest jobs that are searched.
const RECENT_JOBS: u32 = 20;

/// The time for which a job is not retried automatically after it failed or was cancelled, in milliseconds.
const RETRY_DELAY_MS: i64 = 60 * 60 * 1000;

/// A metric that needs more than texts: an encoder's vectors, or a model learned from ratings.
#[derive(Debug, Clone)]
pub struct OfferedMetric {
    /// Its name.
    pub name: &'static str,
    /// A short description of what it measures.
    pub about: &'static str,
    /// The version that this server computes, or a sentence on what the server is missing for it.
    pub version: Result<OfferedMetricVersion, String>,
}

/// A version of such a metric.
#[derive(Debug, Clone)]
pub struct OfferedMetricVersion {
    /// A text that names all that its scores depend on.
    pub signature: String,
    /// Whether it is computed or learned.
    pub origin: MetricOrigin,
    /// The direction of its scores.
    pub direction: ScoreDirection,
    /// Whether its scores depend on references.
    pub uses_references: bool,
    /// The hashes of the texts of the sources that it learned from.
    pub trained_on: Vec<String>,
    /// The meaning of its scores; empty if it is not known.
    pub scale: ScoreScale,
}

/// A metric that could not score some outputs, with the reason.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UnscoredMetric {
    /// The metric's name.
    pub metric: String,
    /// The reason, as a sentence.
    pub why: String,
}

/// The text metric behind a metric of a study; `None` if this version of the program does not compute it.
#[must_use]
pub fn text_metric(metric: &StudyMetric) -> Option<TextMetric> {
    let text_metric = TextMetric::from_name(&metric.name)?;
    let is_current =
        metric.origin == MetricOrigin::Computed && metric.signature == version(text_metric);
    is_current.then_some(text_metric)
}

/// The part of the signature that all scores of one version share: all but the number of references, which
/// differs between sources.
#[must_use]
pub fn version(metric: TextMetric) -> String {
    let signature = metric.signature(ReferenceCount::Each(0)).to_string();
    signature.replace("|nrefs:0", "")
}

/// Adds a metric that is computed from texts to the study.
///
/// # Errors
/// Refused if the study does not exist.
pub async fn choose(
    store: &Store,
    study: StudyId,
    metric: TextMetric,
    context: Context,
) -> store::Result<MetricId> {
    let new = NewMetric {
        id: MetricId(context.new_id()),
        name: metric.name(),
        signature: &version(metric),
        origin: MetricOrigin::Computed,
        direction: metric.direction(),
        uses_references: metric.needs_references(),
        trained_on: &[],
        model: None,
    };
    store.declare_metric(study, &new, context.now_ms()).await
}

/// Adds a metric that needs more than texts to the study.
///
/// # Errors
/// Refused if the server cannot compute it, or the study does not exist.
pub async fn choose_offered(
    store: &Store,
    study: StudyId,
    offer: &OfferedMetric,
    context: Context,
) -> store::Result<MetricId> {
    let version = offer.version.as_ref();
    let version = version.map_err(|why| store::Error::Refused(why.clone()))?;

    let new = NewMetric {
        id: MetricId(context.new_id()),
        name: offer.name,
        signature: &version.signature,
        origin: version.origin,
        direction: version.direction,
        uses_references: version.uses_references,
        trained_on: &version.trained_on,
        model: None,
    };
    store.declare_metric(study, &new, context.now_ms()).await
}

/// The study's queued or running job of a kind.
///
/// # Errors
/// When the database fails.
pub async fn running_job(
    store: &Store,
    study: StudyId,
    kind: JobKind,
) -> store::Result<Option<Job>> {
    store.newest_job(study, kind, false).await
}

/// The metrics whose scores the study's last scoring job could not compute.
///
/// # Errors
/// When the database fails.
pub async fn unscored_metrics(store: &Store, study: StudyId) -> store::Result<Vec<UnscoredMetric>> {
    let mut jobs = store.jobs(study, RECENT_JOBS).await?.into_iter();
    let result = jobs
        .find(|job| job.kind == JobKind::Score)
        .and_then(|job| job.result);
    let unscored = result.and_then(|mut result| serde_json::from_value(result["left"].take()).ok());
    Ok(unscored.unwrap_or_default())
}

/// Queues a scoring job, unless one is queued or running.
///
/// # Errors
/// When the database fails.
pub async fn enqueue(store: &Store, study: StudyId, context: Context) -> store::Result<()> {
    if running_job(store, study, JobKind::Score).await?.is_some() {
        return Ok(());
    }

    let new = NewJob {
        id: JobId(context.new_id()),
        study: Some(study),
        kind: JobKind::Score,
        input: &serde_json::Value::Null,
        created_by: None,
    };
    store.enqueue_job(&new, context.now_ms()).await
}

/// Whether the study's last job of a kind failed or was cancelled so recently that it is not retried
/// automatically. A job that failed before `started_ms`, when the server started, is retried; pass 0 for no such time.
///
/// # Errors
/// When the database fails.
pub async fn failed_recently(
    store: &Store,
    study: StudyId,
    kind: JobKind,
    now_ms: i64,
    started_ms: i64,
) -> store::Result<bool> {
    let mut jobs = store.jobs(study, RECENT_JOBS).await?.into_iter();
    let last = jobs.find(|job| job.kind == kind);

    let recent = now_ms - RETRY_DELAY_MS;
    Ok(last.is_some_and(|job| match job.state {
        JobState::Failed => job.ended_at > Some(recent.max(started_ms)),
        JobState::Cancelled => job.ended_at > Some(recent),
        _ => false,
    }))
}
