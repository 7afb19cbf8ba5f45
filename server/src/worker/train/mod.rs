//! Trains metrics on a study's ratings and aligners on its checked edits, each in a process of its own that
//! never opens the database: the training data goes out as a file, and the model comes back as one.
//!
//! One training runs at a time in a data folder. After the process or the whole server has ended, the next
//! one continues from the last finished tree, epoch or network, as long as the folder still exists.

mod aligner_job;
pub(crate) mod aligner_protocol;
#[cfg(test)]
mod aligner_tests;
mod error;
mod job;
mod model_files;
mod process;
pub(crate) mod protocol;
mod retraining;
#[cfg(test)]
mod tests;
mod training_plan;
mod training_set;

use std::{
    collections::HashMap,
    ffi::OsString,
    fs::{self, File},
    io,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use domain::ids::{JobId, StudyId};
use learn::aligner::Aligner;
use service::import::RunningJobProgress;
use store::Store;
use tokio_util::sync::CancellationToken;

use self::{error::TrainingJobError, job::run_job};
use super::{POLL_INTERVAL, job_runner::JobRunner, lanes::JobLane};
use crate::clock;

/// Interval, in milliseconds, between checks for studies with enough new ratings.
const RULE_CHECK_INTERVAL_MS: i64 = 10_000;

/// Settings that trainings run with.
#[derive(Debug, Clone)]
pub(crate) struct TrainerSettings {
    /// The program itself.
    pub(crate) program: PathBuf,
    /// Its arguments in addition to the request: where encoder and word frequencies are.
    pub(crate) arguments: Vec<OsString>,
    /// The folder of the trainings' files.
    pub(crate) folder: PathBuf,
    /// The file that a server locks while it trains, so that one training runs at a time.
    pub(crate) lock: PathBuf,
    /// Whether metrics use only letters and words, without the encoder.
    pub(crate) without_encoder: bool,
}

/// Trains until `stop`, then returns the current job to the queue.
pub(crate) async fn run_worker(
    store: Store,
    trainer: TrainerSettings,
    aligner: Arc<Aligner>,
    stop: CancellationToken,
) {
    let worker = TrainingWorker {
        runner: JobRunner::new(store, stop),
        trainer: Arc::new(trainer),
        aligner,
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
    /// The server's aligner, from which the training of a study's own begins.
    aligner: Arc<Aligner>,
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

        if let Some(job) = self.runner.claim(&JobLane::Train.kinds()).await? {
            let progress = Arc::new(RunningJobProgress::default());
            let (store, stop) = (self.runner.store.clone(), self.runner.stop.clone());
            let trainer = (self.trainer.clone(), self.aligner.clone());
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
}

impl TrainerSettings {
    /// Locks training in this data folder while the returned file is open; `None`, without a lock, if the
    /// file cannot be opened.
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

/// The error while another process of this data folder trains.
struct TrainerBusy;
