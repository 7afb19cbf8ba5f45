//! What scores a study's outputs without anybody's doing (server only). The work itself is the
//! server's.

use domain::{
    ids::{JobId, MetricId, StudyId},
    metrics::{References, TextMetric},
};
use store::{
    Job, JobState, NewJob, Store,
    metrics::{Metric, NewMetric, Origin},
};
use uuid::Uuid;

/// The kind of job that scores the outputs of a study.
pub const SCORE: &str = "score";

/// How many of a study's jobs are looked at for one that is at it already.
const RECENT: u32 = 20;

/// For how long a study is left alone after scoring it failed or was called off, in milliseconds.
const REST_MS: i64 = 60 * 60 * 1000;

/// What computes a metric of a study from texts, where this version of the program does.
#[must_use]
pub fn text_metric(metric: &Metric) -> Option<TextMetric> {
    let named = TextMetric::named(&metric.name)?;
    let same = metric.origin == Origin::Computed && metric.signature == version(named);
    same.then_some(named)
}

/// The signature without the number of references, which each source has its own of: what scores of
/// one version have in common.
#[must_use]
pub fn version(metric: TextMetric) -> String {
    let signature = metric.signature(References::Each(0)).to_string();
    signature.replace("|nrefs:0", "")
}

/// What a metric measures, in a few words.
#[must_use]
pub const fn about(metric: TextMetric) -> &'static str {
    match metric {
        TextMetric::Sari => "SARI as EASSE has it, against references",
        TextMetric::SariAdd => "its part of added words",
        TextMetric::SariKeep => "its part of kept words",
        TextMetric::SariDelete => "its part of deleted words",
        TextMetric::SariLens => "SARI as the LENS repository has it, against references",
        TextMetric::Bleu => "sentence BLEU against references",
        TextMetric::SelfBleu => "sentence BLEU against the source: 100 is a copy",
        TextMetric::Chrf => "chrF2 against references",
        TextMetric::Fkgl => "Flesch-Kincaid grade: a lower one reads easier",
        TextMetric::Levenshtein => "similarity of characters with the source: 1 is a copy",
        TextMetric::EditDistance => "share of characters changed: 0 is a copy",
        TextMetric::Compression => "length in characters against the source’s",
        TextMetric::CopyRate => "share of words that are the source’s",
    }
}

/// Gives the study a metric that is computed from texts.
///
/// # Errors
/// Refused where the study is gone.
pub async fn choose(
    store: &Store,
    study: StudyId,
    metric: TextMetric,
    (new_id, now_ms): (fn() -> Uuid, i64),
) -> store::Result<MetricId> {
    let new = NewMetric {
        id: MetricId(new_id()),
        name: metric.name(),
        signature: &version(metric),
        origin: Origin::Computed,
        uses_references: metric.needs_references(),
        trained_on: &[],
        model: None,
    };
    store.declare_metric(study, &new, now_ms).await
}

/// The study's scoring job that waits or runs.
///
/// # Errors
/// When the database fails.
pub async fn under_way(store: &Store, study: StudyId) -> store::Result<Option<Job>> {
    let mut jobs = store.jobs(study, RECENT).await?.into_iter();
    Ok(jobs.find(|job| job.kind == SCORE && !job.state.is_over()))
}

/// Queues a scoring job, unless one waits or runs.
///
/// # Errors
/// When the database fails.
pub async fn enqueue(
    store: &Store,
    study: StudyId,
    (new_id, now_ms): (fn() -> Uuid, i64),
) -> store::Result<()> {
    if under_way(store, study).await?.is_some() {
        return Ok(());
    }
    let new = NewJob {
        id: JobId(new_id()),
        study: Some(study),
        kind: SCORE,
        input: &serde_json::Value::Null,
        created_by: None,
    };
    store.enqueue_job(&new, now_ms).await
}

/// Whether scoring the study failed or was called off so recently that it is not tried again unasked.
///
/// # Errors
/// When the database fails.
pub async fn rests(store: &Store, study: StudyId, now_ms: i64) -> store::Result<bool> {
    let mut jobs = store.jobs(study, RECENT).await?.into_iter();
    let last = jobs.find(|job| job.kind == SCORE);
    Ok(last.is_some_and(|job| {
        let stopped = matches!(job.state, JobState::Failed | JobState::Cancelled);
        stopped && job.ended_at.is_some_and(|at| at > now_ms - REST_MS)
    }))
}
