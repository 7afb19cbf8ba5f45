//! What scores a study's outputs without anybody's doing (server only). The work itself is the
//! server's.

use domain::{
    ids::{JobId, MetricId, StudyId},
    metrics::{ReferenceCount, ScoreDirection, TextMetric},
};
use serde::{Deserialize, Serialize};
use store::{
    Job, JobState, NewJob, Store,
    metrics::{MetricOrigin, NewMetric, StudyMetric},
};

use crate::Context;

/// The kind of job that scores the outputs of a study.
pub const SCORE: &str = "score";

/// How many of a study's jobs are looked at for one that is at it already.
const RECENT: u32 = 20;

/// For how long a study is left alone after scoring it failed or was called off, in milliseconds.
const REST_MS: i64 = 60 * 60 * 1000;

/// A metric of more than texts: of an encoder's vectors, or learned from ratings.
#[derive(Debug, Clone)]
pub struct OfferedMetric {
    /// What it is called.
    pub name: &'static str,
    /// What it measures, in a few words.
    pub about: &'static str,
    /// What this server computes by that name, or a sentence on what it lacks for it.
    pub version: Result<OfferedMetricVersion, String>,
}

/// A version of such a metric.
#[derive(Debug, Clone)]
pub struct OfferedMetricVersion {
    /// Everything that its scores depend on.
    pub signature: String,
    /// Whether it was learned.
    pub origin: MetricOrigin,
    /// Which way its scores point.
    pub direction: ScoreDirection,
    /// Whether its scores depend on references.
    pub uses_references: bool,
    /// Hashes of the texts of the sources that it learned from.
    pub trained_on: Vec<String>,
}

/// A metric of the study that has outputs without a score, and why they have none.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UnscoredMetric {
    /// The metric's name.
    pub metric: String,
    /// A sentence.
    pub why: String,
}

/// What computes a metric of a study from texts, where this version of the program does.
#[must_use]
pub fn text_metric(metric: &StudyMetric) -> Option<TextMetric> {
    let named = TextMetric::from_name(&metric.name)?;
    let same = metric.origin == MetricOrigin::Computed && metric.signature == version(named);
    same.then_some(named)
}

/// The signature without the number of references, which each source has its own of: what scores of
/// one version have in common.
#[must_use]
pub fn version(metric: TextMetric) -> String {
    let signature = metric.signature(ReferenceCount::Each(0)).to_string();
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
        TextMetric::SariLensPaper => "the same of lower-cased sources, as in the LENS paper",
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
    context: &Context,
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

/// Gives the study a metric that is offered beside those of texts.
///
/// # Errors
/// Refused where the server lacks what it needs, or the study is gone.
pub async fn choose_offered(
    store: &Store,
    study: StudyId,
    offer: &OfferedMetric,
    context: &Context,
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

/// The study's job of a kind that waits or runs.
///
/// # Errors
/// When the database fails.
pub async fn running_job(store: &Store, study: StudyId, kind: &str) -> store::Result<Option<Job>> {
    let mut jobs = store.jobs(study, RECENT).await?.into_iter();
    Ok(jobs.find(|job| job.kind == kind && !job.state.is_over()))
}

/// What the study's last scoring left without scores.
///
/// # Errors
/// When the database fails.
pub async fn unscored_metrics(store: &Store, study: StudyId) -> store::Result<Vec<UnscoredMetric>> {
    let mut jobs = store.jobs(study, RECENT).await?.into_iter();
    let result = jobs
        .find(|job| job.kind == SCORE)
        .and_then(|job| job.result);
    let left = result.and_then(|mut result| serde_json::from_value(result["left"].take()).ok());
    Ok(left.unwrap_or_default())
}

/// Queues a scoring job, unless one waits or runs.
///
/// # Errors
/// When the database fails.
pub async fn enqueue(store: &Store, study: StudyId, context: &Context) -> store::Result<()> {
    if running_job(store, study, SCORE).await?.is_some() {
        return Ok(());
    }
    let new = NewJob {
        id: JobId(context.new_id()),
        study: Some(study),
        kind: SCORE,
        input: &serde_json::Value::Null,
        created_by: None,
    };
    store.enqueue_job(&new, context.now_ms()).await
}

/// Whether the study's last job of a kind failed or was called off so recently that it is not tried again
/// unasked.
///
/// # Errors
/// When the database fails.
pub async fn failed_recently(
    store: &Store,
    study: StudyId,
    kind: &str,
    now_ms: i64,
) -> store::Result<bool> {
    let mut jobs = store.jobs(study, RECENT).await?.into_iter();
    let last = jobs.find(|job| job.kind == kind);
    Ok(last.is_some_and(|job| {
        let stopped = matches!(job.state, JobState::Failed | JobState::Cancelled);
        stopped && job.ended_at.is_some_and(|at| at > now_ms - REST_MS)
    }))
}
