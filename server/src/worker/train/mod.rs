//! Metrics are trained on the ratings of a study, each in a process of its own that never opens the
//! database: what it learns from goes out as a file, and the model comes back as one.
//!
//! One trains at a time on a machine. Where the process or the whole server ends in between, the next
//! one goes on from the last finished tree, as long as the folder is still there.

mod lesson;
mod process;
#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    ffi::OsString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use app::{
    imports::Progress,
    learned::{self, Report, Start, TRAIN, TrainJob, TrainedModel, in_use},
    metrics,
};
use domain::{
    ids::{JobId, MetricId, ModelId, StudyId},
    metrics::Direction,
};
use serde_json::json;
use store::{
    Ending, Job, Store,
    metrics::{NewMetric, NewModel, Origin},
};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use self::{
    lesson::Lesson,
    process::{Came, train},
};
use super::{End, LOOK, hand::Hand};
use crate::clock;

/// How often, in milliseconds, it looks for studies that have enough new ratings.
const LOOK_AT_RULES_MS: i64 = 10_000;

/// The share of a study's sources that is held out.
const HELD_OUT: f64 = 0.2;

/// How trainings are run.
#[derive(Debug, Clone)]
pub(crate) struct Trainer {
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
pub(crate) async fn work(store: Store, trainer: Trainer, stop: CancellationToken) {
    let worker = Worker {
        hand: Hand::new(store, stop),
        trainer: Arc::new(trainer),
        looked: Mutex::default(),
    };
    if let Err(error) = worker.tidy().await {
        tracing::warn!(%error, "files of old trainings were not deleted");
    }
    let mut looked = 0;
    while !worker.hand.stop.is_cancelled() {
        if let Err(error) = worker.turn(&mut looked).await {
            tracing::warn!(%error, "no training could be looked for");
        }
        let wait = tokio::time::sleep(LOOK);
        worker.hand.stop.run_until_cancelled(wait).await;
    }
}

struct Worker {
    hand: Hand,
    trainer: Arc<Trainer>,
    /// Up to which event each study's rule was looked at.
    looked: Mutex<HashMap<StudyId, i64>>,
}

impl Worker {
    async fn turn(&self, looked: &mut i64) -> store::Result<()> {
        let now = clock::now_ms();
        if now - *looked > LOOK_AT_RULES_MS {
            self.queue(now).await?;
            *looked = now;
        }
        let Ok(_alone) = self.trainer.alone() else {
            return Ok(());
        };
        if let Some(job) = self.hand.claim(&[TRAIN]).await? {
            let progress = Arc::new(Progress::default());
            let (store, trainer) = (self.hand.store.clone(), self.trainer.clone());
            let stop = self.hand.stop.clone();
            let work = run(store, trainer, job.clone(), progress.clone(), stop);
            self.hand.run(&job, progress, work).await;
        }
        Ok(())
    }

    /// Deletes the files of trainings that were done elsewhere, or are gone.
    async fn tidy(&self) -> Result<(), Failure> {
        let folders = match fs::read_dir(&self.trainer.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            folders => folders?,
        };
        for folder in folders {
            let folder = folder?;
            let Ok(id) = folder.file_name().to_string_lossy().parse::<JobId>() else {
                continue;
            };
            let job = self.hand.store.job(id).await?;
            if job.is_none_or(|job| job.state.is_over()) {
                fs::remove_dir_all(folder.path())?;
            }
        }
        Ok(())
    }

    /// Queues a training of each study whose rule asks for one.
    async fn queue(&self, now_ms: i64) -> store::Result<()> {
        let store = &self.hand.store;
        for (id, newest) in store.newest_events().await? {
            let before = self.looked().insert(id, newest);
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
                .filter_map(Report::of)
                .map(|it| it.ratings)
                .max();
            let ratings = store.count_ratings(id, &first.name).await?;
            let new = ratings.saturating_sub(known.unwrap_or(0));
            if new < u64::from(every) {
                continue;
            }
            if metrics::rests(store, id, TRAIN, now_ms).await? {
                self.looked().remove(&id);
                continue;
            }
            let kind = learned::LearnedKind::LearnedFree;
            let start = learned::usual_start(&models, kind);
            let what = TrainJob { kind, start };
            learned::enqueue(store, id, what, None, (clock::new_id, now_ms)).await?;
        }
        Ok(())
    }

    fn looked(&self) -> std::sync::MutexGuard<'_, HashMap<StudyId, i64>> {
        self.looked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Trainer {
    /// What is held while nobody else trains on this machine; nothing where that cannot be told.
    ///
    /// # Errors
    /// [`Busy`] while somebody does.
    fn alone(&self) -> Result<Option<File>, Busy> {
        let mut open = File::options();
        match open.create(true).append(true).open(&self.lock) {
            Ok(file) => match file.try_lock() {
                Ok(()) => Ok(Some(file)),
                Err(_) => Err(Busy),
            },
            Err(error) => {
                tracing::debug!(%error, "others that train here are not seen");
                Ok(None)
            }
        }
    }
}

/// Somebody else trains on this machine.
struct Busy;

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("{0}")]
    Said(String),
    #[error("the training’s files were not written: {0}")]
    Files(#[from] io::Error),
    #[error("another version of the program queued this training: begin it again")]
    Version(#[from] serde_json::Error),
    #[error("the study is gone")]
    NoStudy,
}

async fn run(
    store: Store,
    trainer: Arc<Trainer>,
    job: Job,
    progress: Arc<Progress>,
    stop: CancellationToken,
) -> End {
    let folder = trainer.folder.join(job.id.to_string());
    let result = teach(&store, &trainer, &job, &folder, &progress).await;
    let end = match result {
        Ok(Some(trained)) => {
            let result = serde_json::to_value(trained).expect("plain data");
            End::Over(Ending::Done(result), Vec::new())
        }
        Ok(None) => End::Stopped,
        Err(error) => {
            tracing::error!(job = %job.id, %error, "a training failed");
            End::Over(
                Ending::Failed(app::api::sentence(&error.to_string())),
                Vec::new(),
            )
        }
    };
    // Who shuts down goes on from there.
    if !(matches!(end, End::Stopped) && stop.is_cancelled())
        && let Err(error) = fs::remove_dir_all(&folder)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%error, folder = %folder.display(), "a training's files were not deleted");
    }
    end
}

async fn teach(
    store: &Store,
    trainer: &Trainer,
    job: &Job,
    folder: &Path,
    progress: &Progress,
) -> Result<Option<TrainedModel>, Failure> {
    let study = job.study.ok_or(Failure::NoStudy)?;
    let study = store.study(study).await?.ok_or(Failure::NoStudy)?;
    let what: TrainJob = serde_json::from_value(job.input.clone())?;
    progress.set_total(process::WHOLE);
    let begun = clock::now_ms();
    fs::create_dir_all(folder)?;
    let first = study.settings.dimensions.first();
    let ratings = store
        .count_ratings(study.id, first.map_or("", |it| &it.name))
        .await?;
    let lesson = Lesson::read(store, &study, what.kind).await?;
    progress.say(&lesson.said());
    let models = store.models(study.id).await?;
    let used = in_use(&models, what.kind);
    let (from, from_name) = match what.start {
        Start::Own(id) => {
            let version = models.iter().find(|model| model.id == id);
            let version = version.map_or(0, |model| model.version);
            let path = write_model(store, study.id, id, &folder.join("from")).await?;
            (Some(path), format!("version {version}"))
        }
        Start::Shipped => (
            Some("shipped".into()),
            "the metric that is shipped".to_owned(),
        ),
        Start::Nothing => (None, "nothing but this study".to_owned()),
    };
    let from_name = if what.kind.goes_on() {
        from_name
    } else {
        "the encoder".to_owned()
    };
    progress.say(&format!("It goes on from {from_name}."));
    let (against, used_name) = match (used, what.kind) {
        (Some(model), _) => {
            let path = write_model(store, study.id, model.id, &folder.join("against")).await?;
            (Some(path), Some(format!("version {}", model.version)))
        }
        (None, learned::LearnedKind::LearnedFree) => (
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
            "plan": lesson.plan(what.kind, HELD_OUT),
            "tuning": lesson.tuning(what.kind),
            "from": from,
            "against": against,
            "without_encoder": trainer.without_encoder,
            "work": folder.join("work"),
            "out": folder.join("model"),
        })
        .to_string(),
    )?;
    let trained = match train(trainer, &order, !what.kind.goes_on(), progress).await? {
        Came::Done(trained) => trained,
        Came::Stopped => return Ok(None),
        Came::Failed(why) => return Err(Failure::Said(why)),
    };
    let model = trained.model.clone();
    let read = move || fs::read(model).map(|file| (learn::metric::fingerprint(&file), file));
    let (hash, file) = spawn_blocking(read).await.map_err(io::Error::from)??;
    let report = Report {
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
        origin: Origin::Learned,
        direction: Direction::HigherIsBetter,
        uses_references: what.kind.needs_references(),
        trained_on: &trained.trained_on,
        model: Some(id),
    };
    store.declare_metric(study.id, &metric, now).await?;
    metrics::enqueue(store, study.id, (clock::new_id, now)).await?;
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
) -> Result<PathBuf, Failure> {
    let file = store.model_file(study, id).await?;
    let file = file.ok_or_else(|| Failure::Said("the model to go on from is gone".to_owned()))?;
    tokio::fs::write(path, file).await?;
    Ok(path.to_owned())
}

/// How long a training that was told to stop may take to do so.
const GRACE: Duration = Duration::from_secs(60);
