//! Metrics that learn from a study's ratings: their kinds, jobs and models. The server runs the training.

use domain::{
    ids::{JobId, ModelId, PersonId, StudyId},
    metrics::{
        LearnedMetricKind, ScoreScale,
        learned_quality::{LearnedMetricComparison, LearnedMetricQuality, LearningCurvePoint},
    },
    study::StudySettings,
};
use serde::{Deserialize, Serialize};
use store::{Job, JobKind, NewJob, Store, metrics::StudyModel};

use crate::{Context, metrics::running_job, training_settings::ChosenSettings};

/// The starting point of a training. A few ratings alone are not enough to train a metric from scratch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrainingStart {
    /// The shipped metric, which uses no references.
    Shipped,
    /// A model of the study.
    Own(ModelId),
    /// No starting point: only the ratings of this study are used.
    Nothing,
}

/// The input of a training job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainJob {
    /// The kind of metric.
    pub kind: LearnedMetricKind,
    /// The starting point.
    pub start: TrainingStart,
    /// The dimensions with the ratings to learn from, as [`training_dimensions`] completes them.
    #[serde(default)]
    pub dimensions: Vec<String>,
    /// The settings that differ from the defaults.
    #[serde(default)]
    pub settings: ChosenSettings,
}

/// The result of a training job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainedModel {
    /// The model.
    pub model: ModelId,
    /// Its version among those of its metric.
    pub version: i64,
    /// Whether the study uses it now.
    pub adopted: bool,
}

/// The report that is stored with a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelReport {
    /// The starting point of its training.
    pub start: TrainingStart,
    /// The dimensions with the ratings that it learned from; empty in reports of versions that knew only the first one.
    #[serde(default)]
    pub dimensions: Vec<String>,
    /// The settings that differed from the defaults.
    #[serde(default)]
    pub settings: ChosenSettings,
    /// The number of rated sources that the study had.
    pub sources: usize,
    /// The number of rated outputs; identical outputs of a source count once.
    pub outputs: usize,
    /// The number of ratings on them, as [`Store::count_ratings`] counts them.
    pub ratings: u64,
    /// The number of sources that were left out because they have no references.
    pub without_references: usize,
    /// The agreement with people on the held-out sources.
    pub held_out: LearnedMetricQuality,
    /// The metric that was in use before; `None` if there was none.
    pub against: Option<String>,
    /// The comparison with that metric on the held-out sources, or the reason why there is none. `None` if no metric
    /// was in use.
    pub comparison: Option<Result<LearnedMetricComparison, String>>,
    /// The learning curve: quality by number of rated outputs.
    pub curve: Vec<LearningCurvePoint>,
    /// The meaning of its scores; empty if it is not known.
    #[serde(default)]
    pub scale: ScoreScale,
    /// The duration of the training, in milliseconds.
    pub ms: i64,
}

impl ModelReport {
    /// Whether the study adopts the model automatically. The model has to be evaluated on held-out sources and must
    /// not be fooled by worthless text. If another model is in use, it also has to be significantly better than that
    /// one on sources that neither learned from.
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

    /// The report of a stored model; `None` if another version of the program wrote it.
    #[must_use]
    pub fn from_model(model: &StudyModel) -> Option<Self> {
        serde_json::from_value(model.report.clone()).ok()
    }
}

/// The model of a metric that the study uses.
#[must_use]
pub fn adopted_model(models: &[StudyModel], kind: LearnedMetricKind) -> Option<&StudyModel> {
    let adopted = models.iter().filter(|model| model.name == kind.name());
    adopted
        .filter(|model| model.adopted_at.is_some())
        .max_by_key(|model| (model.adopted_at, model.version))
}

/// The dimensions that a training learns from: the chosen ones that the study has, in its order, or else its first,
/// which ranks outputs. Empty if the study has none.
#[must_use]
pub fn training_dimensions<'a>(settings: &'a StudySettings, chosen: &[String]) -> Vec<&'a str> {
    let known = settings
        .dimensions
        .iter()
        .map(|dimension| &dimension.name[..]);
    let learned: Vec<_> = known
        .clone()
        .filter(|name| chosen.iter().any(|chosen| chosen == name))
        .collect();

    match learned.is_empty() {
        true => known.take(1).collect(),
        false => learned,
    }
}

/// The number of ratings on the dimensions, as [`Store::count_ratings`] counts them.
///
/// # Errors
/// When the database fails.
pub async fn count_training_ratings(
    store: &Store,
    study: StudyId,
    dimensions: &[&str],
) -> store::Result<u64> {
    let mut count = 0;
    for dimension in dimensions {
        count += store.count_ratings(study, dimension).await?;
    }
    Ok(count)
}

/// The starting point of a training if none is chosen.
#[must_use]
pub fn default_start(models: &[StudyModel], kind: LearnedMetricKind) -> TrainingStart {
    match adopted_model(models, kind) {
        Some(model) if !kind.trainer().tunes_encoder() => TrainingStart::Own(model.id),
        None if kind == LearnedMetricKind::SHIPPED => TrainingStart::Shipped,
        _ => TrainingStart::Nothing,
    }
}

/// Queues a training of the study, unless one is queued or running.
///
/// # Errors
/// When the database fails.
pub async fn enqueue(
    store: &Store,
    study: StudyId,
    job: TrainJob,
    created_by: Option<PersonId>,
    context: Context,
) -> store::Result<()> {
    if running_job(store, study, JobKind::Train).await?.is_some() {
        return Ok(());
    }

    let input = serde_json::to_value(job).expect("plain data");
    let new = NewJob {
        id: JobId(context.new_id()),
        study: Some(study),
        kind: JobKind::Train,
        input: &input,
        created_by,
    };
    store.enqueue_job(&new, context.now_ms()).await
}

/// The study's latest training of a kind that has ended, with or without a model.
///
/// # Errors
/// When the database fails.
pub async fn last_training(
    store: &Store,
    study: StudyId,
    kind: JobKind,
) -> store::Result<Option<Job>> {
    store.newest_job(study, kind, true).await
}
