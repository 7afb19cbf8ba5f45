//! Trains metrics on the ratings of a study, each in a process of its own that never opens the database:
//! the training data goes out as a file, and the model comes back as one.
//!
//! One training runs at a time on a machine. After the process or the whole server has ended, the next one
//! continues from the last finished tree or epoch, as long as the folder is still there.

mod process;
pub(crate) mod protocol;
#[cfg(test)]
mod tests;
mod training_set;

use std::{
    collections::HashMap,
    ffi::OsString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use domain::{
    ids::{JobId, MetricId, ModelId, StudyId},
    metrics::{LearnedMetricKind, ScoreDirection},
};
use learn::training::TrainingPlan;
use service::{
    import::RunningJobProgress,
    metric_training::{self, ModelReport, TrainJob, TrainedModel, TrainingStart, adopted_model},
    metrics,
};
use store::{
    Job, JobKind, JobOutcome, Store, Study,
    metrics::{MetricOrigin, NewMetric, NewModel, StudyModel},
};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use self::{
    process::{TrainingOutcome, run_process},
    protocol::{TrainingRequest, TrainingResult},
    training_set::TrainingSet,
};
use super::{JobEnd, POLL_INTERVAL, job_runner::JobRunner};
use crate::clock;

/// How often, in milliseconds, the worker looks for studies that have enough new ratings.
const RULE_CHECK_INTERVAL_MS: i64 = 10_000;

/// The share of a study's sources that is held out.
const HELD_OUT_SHARE: f64 = 0.2;

/// The random seed of every training.
const SEED: u64 = 1;

/// How trainings are run.
#[derive(Debug, Clone)]
pub(crate) struct TrainerSettings {
    /// The program itself.
    pub(crate) program: PathBuf,
    /// Its arguments beside the request: where encoder and word frequencies are.
    pub(crate) arguments: Vec<OsString>,
    /// Where trainings have their files.
    pub(crate) folder: PathBuf,
    /// The file that the training process's server locks, so that one trains at a time on this machine.
    pub(crate) lock: PathBuf,
    /// Whether metrics see letters and words only.
    pub(crate) without_encoder: bool,
}

/// Trains until `stop`, then returns its job to the queue.
pub(crate) async fn run_worker(store: Store, trainer: TrainerSettings, stop: CancellationToken) {
    let worker = TrainingWorker {
        runner: JobRunner::new(store, stop),
        trainer: Arc::new(trainer),
        checked_events: Mutex::default(),
    };
    if let Err(error) = worker.delete_stale_files().await {
        tracing::warn!(%error, "files of old trainings were not deleted");
    }
    let mut last_rule_check_ms = 0;
    while !worker.runner.stop.is_cancelled() {
        if let Err(error) = worker.poll(&mut last_rule_check_ms).await {
            tracing::warn!(%error, "the queue of trainings could not be read");
        }
        let wait = tokio::time::sleep(POLL_INTERVAL);
        worker.runner.stop.run_until_cancelled(wait).await;
    }
}

struct TrainingWorker {
    runner: JobRunner,
    trainer: Arc<TrainerSettings>,
    /// The newest event at which each study's rule was checked.
    checked_events: Mutex<HashMap<StudyId, i64>>,
}

impl TrainingWorker {
    async fn poll(&self, last_rule_check_ms: &mut i64) -> store::Result<()> {
        let now = clock::now_ms();
        if now - *last_rule_check_ms > RULE_CHECK_INTERVAL_MS {
            self.queue_due_trainings(now).await?;
            *last_rule_check_ms = now;
        }
        let Ok(_lock) = self.trainer.try_lock() else {
            return Ok(());
        };
        if let Some(job) = self.runner.claim(&[JobKind::Train]).await? {
            let progress = Arc::new(RunningJobProgress::default());
            let (store, trainer) = (self.runner.store.clone(), self.trainer.clone());
            let stop = self.runner.stop.clone();
            let work = run_job(store, trainer, job.clone(), progress.clone(), stop);
            self.runner.run(&job, progress, work).await;
        }
        Ok(())
    }

    /// Deletes the files of trainings that are over, or whose job was deleted.
    async fn delete_stale_files(&self) -> Result<(), TrainingJobError> {
        let folders = match fs::read_dir(&self.trainer.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            folders => folders?,
        };
        for folder in folders {
            let folder = folder?;
            let Ok(id) = folder.file_name().to_string_lossy().parse::<JobId>() else {
                continue;
            };
            let job = self.runner.store.job(id).await?;
            if job.is_none_or(|job| job.state.is_over()) {
                fs::remove_dir_all(folder.path())?;
            }
        }
        Ok(())
    }

    /// Queues a training of each study whose rule asks for one.
    async fn queue_due_trainings(&self, now_ms: i64) -> store::Result<()> {
        let store = &self.runner.store;
        for (id, newest) in store.newest_events().await? {
            let last_checked = self.lock_checked_events().insert(id, newest);
            if last_checked == Some(newest) {
                continue;
            }
            let Some(study) = store.study(id).await? else {
                continue;
            };
            let (retrain_every, dimensions) =
                (study.settings.retrain_every, study.settings.dimensions);
            let Some(dimension) = dimensions.first().filter(|_| retrain_every > 0) else {
                continue;
            };
            let models = store.models(id).await?;
            let learned_from = models
                .iter()
                .filter_map(ModelReport::from_model)
                .map(|report| report.ratings)
                .max();
            let ratings = store.count_ratings(id, &dimension.name).await?;
            let new_ratings = ratings.saturating_sub(learned_from.unwrap_or(0));
            if new_ratings < u64::from(retrain_every) {
                continue;
            }
            if metrics::failed_recently(store, id, JobKind::Train, now_ms).await? {
                // Without this the study would not be checked again before its next event.
                self.lock_checked_events().remove(&id);
                continue;
            }
            let kind = LearnedMetricKind::SHIPPED;
            let start = metric_training::default_start(&models, kind);
            let job = TrainJob { kind, start };
            metric_training::enqueue(store, id, job, None, clock::CONTEXT).await?;
        }
        Ok(())
    }

    fn lock_checked_events(&self) -> std::sync::MutexGuard<'_, HashMap<StudyId, i64>> {
        self.checked_events
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl TrainerSettings {
    /// Locks training on this machine while the file lives; `None` where the file cannot be opened, so that
    /// there is no lock.
    ///
    /// # Errors
    /// [`TrainerBusy`] while another process trains.
    fn try_lock(&self) -> Result<Option<File>, TrainerBusy> {
        let mut open = File::options();
        match open.create(true).append(true).open(&self.lock) {
            Ok(file) => match file.try_lock() {
                Ok(()) => Ok(Some(file)),
                Err(_) => Err(TrainerBusy),
            },
            Err(error) => {
                tracing::debug!(%error, "the lock on training cannot be opened");
                Ok(None)
            }
        }
    }
}

/// Another process trains on this machine.
struct TrainerBusy;

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
enum TrainingJobError {
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("{0}")]
    Message(String),
    #[error("the training’s files were not written: {0}")]
    Files(#[from] io::Error),
    #[error("another version of the program queued this training: begin it again")]
    Version(#[from] serde_json::Error),
    #[error("the study is gone")]
    NoStudy,
}

async fn run_job(
    store: Store,
    trainer: Arc<TrainerSettings>,
    job: Job,
    progress: Arc<RunningJobProgress>,
    stop: CancellationToken,
) -> JobEnd {
    let folder = trainer.folder.join(job.id.to_string());
    let result = run_training(&store, &trainer, &job, &folder, &progress).await;
    let end = match result {
        Ok(Some(trained)) => {
            let result = serde_json::to_value(trained).expect("plain data");
            JobEnd::Finished(JobOutcome::Done(result), Vec::new())
        }
        Ok(None) => JobEnd::Stopped,
        Err(error) => {
            tracing::error!(job = %job.id, %error, "a training failed");
            JobEnd::Finished(
                JobOutcome::Failed(service::wording::sentence(&error.to_string())),
                Vec::new(),
            )
        }
    };
    // After a shutdown, the next server continues from these files.
    if !(matches!(end, JobEnd::Stopped) && stop.is_cancelled())
        && let Err(error) = fs::remove_dir_all(&folder)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%error, folder = %folder.display(), "a training's files were not deleted");
    }
    end
}

/// Trains on the study's ratings, and stores the model, its report and its metric; `None` where the training
/// was stopped.
async fn run_training(
    store: &Store,
    trainer: &TrainerSettings,
    job: &Job,
    folder: &Path,
    progress: &RunningJobProgress,
) -> Result<Option<TrainedModel>, TrainingJobError> {
    let study = job.study.ok_or(TrainingJobError::NoStudy)?;
    let study = store.study(study).await?.ok_or(TrainingJobError::NoStudy)?;
    let TrainJob { kind, start } = serde_json::from_value(job.input.clone())?;
    progress.set_total(process::PROGRESS_TOTAL);
    let started_ms = clock::now_ms();
    fs::create_dir_all(folder)?;
    let dimension = study.settings.dimensions.first();
    let ratings = store
        .count_ratings(study.id, dimension.map_or("", |dimension| &dimension.name))
        .await?;
    let training_set = TrainingSet::load(store, &study, kind).await?;
    progress.log_line(&training_set.summary());
    let models = store.models(study.id).await?;
    let model_files = ModelFiles {
        store,
        study: study.id,
        models: &models,
        folder,
    };
    let (from, from_name) = model_files.start(kind, start).await?;
    progress.log_line(&format!("Training continues from {from_name}."));
    let (against, against_name) = model_files.in_use(kind).await?.unzip();
    let (sources, outputs) = (training_set.sources.len(), training_set.outputs());
    let without_references = training_set.without_references;
    let request = TrainingRequest {
        sources: training_set.sources,
        plan: TrainingPlan::new(kind, SEED, HELD_OUT_SHARE),
        from,
        against,
        without_encoder: trainer.without_encoder,
        work: folder.join("work"),
        out: folder.join("model"),
    };
    let path = folder.join("order.json");
    fs::write(&path, request.to_json()?)?;
    let encoder_learns = kind.trainer().tunes_encoder();
    let result = match run_process(trainer, &path, encoder_learns, progress).await? {
        TrainingOutcome::Done(result) => result,
        TrainingOutcome::Stopped => return Ok(None),
        TrainingOutcome::Failed(why) => return Err(TrainingJobError::Message(why)),
    };
    let report = ModelReport {
        start,
        sources,
        outputs,
        ratings,
        without_references,
        held_out: result.held_out,
        against: against_name,
        comparison: result.comparison.clone(),
        curve: result.curve.clone(),
        ms: clock::now_ms() - started_ms,
    };
    // One model comes of a job, so the job's id can be the model's.
    let trained = store_model(store, &study, kind, ModelId(job.id.0), &result, &report).await?;
    metrics::enqueue(store, study.id, clock::CONTEXT).await?;
    Ok(Some(trained))
}

/// Stores a trained model, and declares the metric that scores by it.
async fn store_model(
    store: &Store,
    study: &Study,
    kind: LearnedMetricKind,
    id: ModelId,
    result: &TrainingResult,
    report: &ModelReport,
) -> Result<TrainedModel, TrainingJobError> {
    let path = result.model.clone();
    let read = move || fs::read(path).map(|file| (learn::metric::fingerprint(&file), file));
    let (hash, file) = spawn_blocking(read).await.map_err(io::Error::from)??;
    let adopted = report.is_adopted();
    let now = clock::now_ms();
    let model = NewModel {
        id,
        name: kind.name(),
        hash: &hash,
        file: &file,
        report: &serde_json::to_value(report)?,
        adopted,
    };
    let version = store.add_model(study.id, &model, now).await?;
    let metric = NewMetric {
        id: MetricId(clock::new_id()),
        name: kind.name(),
        signature: &result.signature,
        origin: MetricOrigin::Learned,
        direction: ScoreDirection::HigherIsBetter,
        uses_references: kind.needs_references(),
        trained_on: &result.trained_on,
        model: Some(id),
    };
    store.declare_metric(study.id, &metric, now).await?;
    Ok(TrainedModel {
        model: id,
        version,
        adopted,
    })
}

/// The study's earlier models, written to files for the training process.
struct ModelFiles<'a> {
    store: &'a Store,
    study: StudyId,
    models: &'a [StudyModel],
    folder: &'a Path,
}

impl ModelFiles<'_> {
    /// The model that training continues from, if any, and its name for people.
    async fn start(
        &self,
        kind: LearnedMetricKind,
        start: TrainingStart,
    ) -> Result<(Option<PathBuf>, String), TrainingJobError> {
        let (path, name) = match start {
            TrainingStart::Own(id) => {
                let version = self.models.iter().find(|model| model.id == id);
                let version = version.map_or(0, |model| model.version);
                let path = self.write(id, "from").await?;
                (Some(path), format!("version {version}"))
            }
            TrainingStart::Shipped => (
                Some("shipped".into()),
                "the metric that is shipped".to_owned(),
            ),
            TrainingStart::Nothing => (None, "nothing but this study".to_owned()),
        };
        Ok(match kind.trainer().tunes_encoder() {
            true => (path, "the encoder".to_owned()),
            false => (path, name),
        })
    }

    /// The model of this kind that is in use, if any, and its name for people. Where the study has none, that
    /// is the shipped one.
    async fn in_use(
        &self,
        kind: LearnedMetricKind,
    ) -> Result<Option<(PathBuf, String)>, TrainingJobError> {
        Ok(match adopted_model(self.models, kind) {
            Some(model) => {
                let path = self.write(model.id, "against").await?;
                Some((path, format!("version {}", model.version)))
            }
            None if kind == LearnedMetricKind::SHIPPED => {
                Some(("shipped".into(), "the metric that is shipped".to_owned()))
            }
            None => None,
        })
    }

    async fn write(&self, id: ModelId, name: &str) -> Result<PathBuf, TrainingJobError> {
        let path = self.folder.join(name);
        let file = self.store.model_file(self.study, id).await?;
        let file = file.ok_or_else(|| {
            TrainingJobError::Message("the model to go on from is gone".to_owned())
        })?;
        tokio::fs::write(&path, file).await?;
        Ok(path)
    }
}
