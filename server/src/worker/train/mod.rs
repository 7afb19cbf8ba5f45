//! Metrics are trained on the ratings of a study, each in a process of its own that never opens the
//! database: what it learns from goes out as a file, and the model comes back as one.
//!
//! One trains at a time on a machine. Where the process or the whole server ends in between, the next
//! one goes on from the last finished tree, as long as the folder is still there.

mod process;
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
    time::Duration,
};

use domain::{
    ids::{JobId, MetricId, ModelId, StudyId},
    metrics::ScoreDirection,
};
use serde_json::json;
use service::{
    import::RunningJobProgress,
    metric_training::{self, ModelReport, TrainJob, TrainedModel, TrainingStart, adopted_model},
    metrics,
};
use store::{
    Job, JobKind, JobOutcome, Store,
    metrics::{MetricOrigin, NewMetric, NewModel},
};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use self::{
    process::{TrainingOutcome, run_process},
    training_set::TrainingSet,
};
use super::{JobEnd, POLL_INTERVAL, job_runner::JobRunner};
use crate::clock;

/// How often, in milliseconds, it looks for studies that have enough new ratings.
const RULE_CHECK_INTERVAL_MS: i64 = 10_000;

/// The share of a study's sources that is held out.
const HELD_OUT_SHARE: f64 = 0.2;

/// How trainings are run.
#[derive(Debug, Clone)]
pub(crate) struct TrainerSettings {
    /// The program itself.
    pub(crate) program: PathBuf,
    /// What it is told beside what to train: where encoder and words are.
    pub(crate) arguments: Vec<OsString>,
    /// Where trainings have their files.
    pub(crate) folder: PathBuf,
    /// The file that is locked by the one that trains on this machine.
    pub(crate) lock: PathBuf,
    /// Whether metrics see letters and words alone.
    pub(crate) without_encoder: bool,
}

/// Trains until `stop`; then gives the job at hand back.
pub(crate) async fn run_worker(store: Store, trainer: TrainerSettings, stop: CancellationToken) {
    let worker = TrainingWorker {
        runner: JobRunner::new(store, stop),
        trainer: Arc::new(trainer),
        checked_events: Mutex::default(),
    };
    if let Err(error) = worker.delete_stale_files().await {
        tracing::warn!(%error, "files of old trainings were not deleted");
    }
    let mut looked = 0;
    while !worker.runner.stop.is_cancelled() {
        if let Err(error) = worker.poll(&mut looked).await {
            tracing::warn!(%error, "no training could be looked for");
        }
        let wait = tokio::time::sleep(POLL_INTERVAL);
        worker.runner.stop.run_until_cancelled(wait).await;
    }
}

struct TrainingWorker {
    runner: JobRunner,
    trainer: Arc<TrainerSettings>,
    /// Up to which event each study's rule was looked at.
    checked_events: Mutex<HashMap<StudyId, i64>>,
}

impl TrainingWorker {
    async fn poll(&self, looked: &mut i64) -> store::Result<()> {
        let now = clock::now_ms();
        if now - *looked > RULE_CHECK_INTERVAL_MS {
            self.queue_due_trainings(now).await?;
            *looked = now;
        }
        let Ok(_alone) = self.trainer.try_lock() else {
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

    /// Deletes the files of trainings that were done elsewhere, or are gone.
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
            let before = self.lock_checked_events().insert(id, newest);
            if before == Some(newest) {
                continue;
            }
            let Some(study) = store.study(id).await? else {
                continue;
            };
            let (every, dimensions) = (study.settings.retrain_every, study.settings.dimensions);
            let Some(first) = dimensions.first().filter(|_| every > 0) else {
                continue;
            };
            let models = store.models(id).await?;
            let known = models
                .iter()
                .filter_map(ModelReport::from_model)
                .map(|it| it.ratings)
                .max();
            let ratings = store.count_ratings(id, &first.name).await?;
            let new = ratings.saturating_sub(known.unwrap_or(0));
            if new < u64::from(every) {
                continue;
            }
            if metrics::failed_recently(store, id, JobKind::Train, now_ms).await? {
                self.lock_checked_events().remove(&id);
                continue;
            }
            let kind = metric_training::LearnedKind::LearnedFree;
            let start = metric_training::default_start(&models, kind);
            let what = TrainJob { kind, start };
            metric_training::enqueue(store, id, what, None, clock::CONTEXT).await?;
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
    /// What is held while nobody else trains on this machine; nothing where that cannot be told.
    ///
    /// # Errors
    /// [`Busy`] while somebody does.
    fn try_lock(&self) -> Result<Option<File>, TrainerBusy> {
        let mut open = File::options();
        match open.create(true).append(true).open(&self.lock) {
            Ok(file) => match file.try_lock() {
                Ok(()) => Ok(Some(file)),
                Err(_) => Err(TrainerBusy),
            },
            Err(error) => {
                tracing::debug!(%error, "others that train here are not seen");
                Ok(None)
            }
        }
    }
}

/// Somebody else trains on this machine.
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
    // Who shuts down goes on from there.
    if !(matches!(end, JobEnd::Stopped) && stop.is_cancelled())
        && let Err(error) = fs::remove_dir_all(&folder)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%error, folder = %folder.display(), "a training's files were not deleted");
    }
    end
}

async fn run_training(
    store: &Store,
    trainer: &TrainerSettings,
    job: &Job,
    folder: &Path,
    progress: &RunningJobProgress,
) -> Result<Option<TrainedModel>, TrainingJobError> {
    let study = job.study.ok_or(TrainingJobError::NoStudy)?;
    let study = store.study(study).await?.ok_or(TrainingJobError::NoStudy)?;
    let what: TrainJob = serde_json::from_value(job.input.clone())?;
    progress.set_total(process::PROGRESS_TOTAL);
    let begun = clock::now_ms();
    fs::create_dir_all(folder)?;
    let first = study.settings.dimensions.first();
    let ratings = store
        .count_ratings(study.id, first.map_or("", |it| &it.name))
        .await?;
    let lesson = TrainingSet::load(store, &study, what.kind).await?;
    progress.log_line(&lesson.summary());
    let models = store.models(study.id).await?;
    let used = adopted_model(&models, what.kind);
    let (from, from_name) = match what.start {
        TrainingStart::Own(id) => {
            let version = models.iter().find(|model| model.id == id);
            let version = version.map_or(0, |model| model.version);
            let path = write_model(store, study.id, id, &folder.join("from")).await?;
            (Some(path), format!("version {version}"))
        }
        TrainingStart::Shipped => (
            Some("shipped".into()),
            "the metric that is shipped".to_owned(),
        ),
        TrainingStart::Nothing => (None, "nothing but this study".to_owned()),
    };
    let from_name = if what.kind.can_continue() {
        from_name
    } else {
        "the encoder".to_owned()
    };
    progress.log_line(&format!("It goes on from {from_name}."));
    let (against, used_name) = match (used, what.kind) {
        (Some(model), _) => {
            let path = write_model(store, study.id, model.id, &folder.join("against")).await?;
            (Some(path), Some(format!("version {}", model.version)))
        }
        (None, metric_training::LearnedKind::LearnedFree) => (
            Some("shipped".into()),
            Some("the metric that is shipped".to_owned()),
        ),
        (None, _) => (None, None),
    };
    let order = folder.join("order.json");
    fs::write(
        &order,
        json!({
            "sources": lesson.sources,
            "plan": lesson.hybrid_plan(what.kind, HELD_OUT_SHARE),
            "tuning": lesson.tuning_plan(what.kind),
            "from": from,
            "against": against,
            "without_encoder": trainer.without_encoder,
            "work": folder.join("work"),
            "out": folder.join("model"),
        })
        .to_string(),
    )?;
    let trained = match run_process(trainer, &order, !what.kind.can_continue(), progress).await? {
        TrainingOutcome::Done(trained) => trained,
        TrainingOutcome::Stopped => return Ok(None),
        TrainingOutcome::Failed(why) => return Err(TrainingJobError::Message(why)),
    };
    let model = trained.model.clone();
    let read = move || fs::read(model).map(|file| (learn::metric::fingerprint(&file), file));
    let (hash, file) = spawn_blocking(read).await.map_err(io::Error::from)??;
    let report = ModelReport {
        start: what.start,
        sources: lesson.sources.len(),
        outputs: lesson.outputs(),
        ratings,
        without_references: lesson.without_references,
        held_out: trained.held_out,
        against: used_name,
        comparison: trained.comparison,
        curve: trained.curve,
        ms: clock::now_ms() - begun,
    };
    let (id, adopted) = (ModelId(job.id.0), report.is_adopted());
    let now = clock::now_ms();
    let new = NewModel {
        id,
        name: what.kind.name(),
        hash: &hash,
        file: &file,
        report: &serde_json::to_value(&report)?,
        adopted,
    };
    let version = store.add_model(study.id, &new, now).await?;
    let metric = NewMetric {
        id: MetricId(clock::new_id()),
        name: what.kind.name(),
        signature: &trained.signature,
        origin: MetricOrigin::Learned,
        direction: ScoreDirection::HigherIsBetter,
        uses_references: what.kind.needs_references(),
        trained_on: &trained.trained_on,
        model: Some(id),
    };
    store.declare_metric(study.id, &metric, now).await?;
    metrics::enqueue(store, study.id, clock::CONTEXT).await?;
    Ok(Some(TrainedModel {
        model: id,
        version,
        adopted,
    }))
}

async fn write_model(
    store: &Store,
    study: StudyId,
    id: ModelId,
    path: &Path,
) -> Result<PathBuf, TrainingJobError> {
    let file = store.model_file(study, id).await?;
    let file = file
        .ok_or_else(|| TrainingJobError::Message("the model to go on from is gone".to_owned()))?;
    tokio::fs::write(path, file).await?;
    Ok(path.to_owned())
}

/// How long a training that was told to stop may take to do so.
const STOP_GRACE_PERIOD: Duration = Duration::from_secs(60);
