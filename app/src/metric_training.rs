//! Metrics that learn from a study's ratings (server only). The work itself is the server's.

use domain::{
    ids::{JobId, ModelId, PersonId, StudyId},
    metrics::{
        LearnedMetricKind,
        learned_quality::{LearnedMetricComparison, LearnedMetricQuality, LearningCurvePoint},
    },
};
use serde::{Deserialize, Serialize};
use store::{Job, NewJob, Store, metrics::StudyModel};
use uuid::Uuid;

use crate::metrics::running_job;

/// The kind of job that trains a metric on the ratings of a study.
pub const TRAIN: &str = "train";

/// What a training goes on from: few ratings by themselves teach too little.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrainingStart {
    /// The metric without references that is shipped.
    Shipped,
    /// A model of the study.
    Own(ModelId),
    /// Nothing: this study alone.
    Nothing,
}

/// What a training job is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainJob {
    /// Which metric.
    pub kind: LearnedMetricKind,
    /// What it goes on from.
    pub start: TrainingStart,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainedModel {
    /// The model.
    pub model: ModelId,
    /// Its version among those of its metric.
    pub version: i64,
    /// Whether the study has taken it into use.
    pub adopted: bool,
}

/// What is kept with a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelReport {
    /// What it went on from.
    pub start: TrainingStart,
    /// How many rated sources the study had.
    pub sources: usize,
    /// How many rated outputs, each text of a source once.
    pub outputs: usize,
    /// How many ratings it had, as [`Store::count_ratings`] counts them.
    pub ratings: u64,
    /// How many of its sources were left out, since they have no references.
    pub without_references: usize,
    /// Agreement with people on those of its sources that were held out.
    pub held_out: LearnedMetricQuality,
    /// What was in use before; `None` where nothing was.
    pub against: Option<String>,
    /// It against that, on these sources; or why that cannot be said. `None` where nothing was in use.
    pub comparison: Option<Result<LearnedMetricComparison, String>>,
    /// How it does by how many rated outputs it learned from.
    pub curve: Vec<LearningCurvePoint>,
    /// How long the training took, in milliseconds.
    pub ms: i64,
}

impl ModelReport {
    /// Whether the study takes the model into use by itself: it was judged on sources held out, is not fooled
    /// by worthless text, and nothing was in use before, or it is better for certain on sources that neither
    /// learned from.
    #[must_use]
    pub fn is_adopted(&self) -> bool {
        self.held_out.sources > 0
            && !self.held_out.is_fooled()
            && match &self.comparison {
                None => true,
                Some(Ok(comparison)) => comparison.is_better(),
                Some(Err(_)) => false,
            }
    }

    /// What is kept with a model; `None` where another version of the program wrote it.
    #[must_use]
    pub fn from_model(model: &StudyModel) -> Option<Self> {
        serde_json::from_value(model.report.clone()).ok()
    }
}

/// The study's model of a metric that is in use.
#[must_use]
pub fn adopted_model(models: &[StudyModel], kind: LearnedMetricKind) -> Option<&StudyModel> {
    let adopted = models.iter().filter(|model| model.name == kind.name());
    adopted
        .filter(|model| model.adopted_at.is_some())
        .max_by_key(|model| (model.adopted_at, model.version))
}

/// What a training of the metric goes on from where nobody says.
#[must_use]
pub fn default_start(models: &[StudyModel], kind: LearnedMetricKind) -> TrainingStart {
    match adopted_model(models, kind) {
        Some(model) if !kind.trainer().tunes_encoder() => TrainingStart::Own(model.id),
        None if kind == LearnedMetricKind::SHIPPED => TrainingStart::Shipped,
        _ => TrainingStart::Nothing,
    }
}

/// Queues a training of the study, unless one waits or runs.
///
/// # Errors
/// When the database fails.
pub async fn enqueue(
    store: &Store,
    study: StudyId,
    what: TrainJob,
    by: Option<PersonId>,
    (new_id, now_ms): (fn() -> Uuid, i64),
) -> store::Result<()> {
    if running_job(store, study, TRAIN).await?.is_some() {
        return Ok(());
    }
    let input = serde_json::to_value(what).expect("plain data");
    let new = NewJob {
        id: JobId(new_id()),
        study: Some(study),
        kind: TRAIN,
        input: &input,
        created_by: by,
    };
    store.enqueue_job(&new, now_ms).await
}

/// The study's last training that is over, and whether it ended without a model.
///
/// # Errors
/// When the database fails.
pub async fn last_training(store: &Store, study: StudyId) -> store::Result<Option<Job>> {
    let mut jobs = store.jobs(study, 20).await?.into_iter();
    Ok(jobs.find(|job| job.kind == TRAIN && job.state.is_over()))
}
