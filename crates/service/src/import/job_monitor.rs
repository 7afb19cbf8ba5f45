use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
};

use domain::ids::JobId;
use tokio::sync::watch;

/// The jobs that this process is running, with their progress and requests to stop them. These change row
/// by row, too often to write them to the database.
#[derive(Debug, Clone, Default)]
pub struct JobMonitor(Arc<JobMonitorInner>);

#[derive(Debug, Default)]
struct JobMonitorInner {
    jobs: Mutex<HashMap<JobId, Arc<RunningJobProgress>>>,
    queued: watch::Sender<()>,
    alignment_requested: AtomicBool,
}

/// Tells a worker that a job may have been queued in this process.
#[derive(Debug)]
pub struct JobQueueReceiver(watch::Receiver<()>);

impl JobMonitor {
    /// Adds a job that this process begins to run.
    pub fn add(&self, job: JobId, progress: Arc<RunningJobProgress>) {
        self.jobs().insert(job, progress);
    }

    /// Removes a job that this process no longer runs.
    pub fn remove(&self, job: JobId) {
        self.jobs().remove(&job);
    }

    /// The progress of the job, if this process is running it.
    pub fn progress(&self, job: JobId) -> Option<Arc<RunningJobProgress>> {
        self.jobs().get(&job).cloned()
    }

    /// Wakes all workers because a job was queued.
    pub fn wake(&self) {
        self.0.queued.send_replace(());
    }

    /// Wakes the worker to check for outputs to align now, because an annotator is waiting for them.
    pub fn request_alignment_check(&self) {
        self.0.alignment_requested.store(true, Relaxed);
        self.wake();
    }

    /// Whether [`Self::request_alignment_check`] was called since the last call of this function.
    #[must_use]
    pub fn take_alignment_request(&self) -> bool {
        self.0.alignment_requested.swap(false, Relaxed)
    }

    /// Listens for jobs that are queued in this process from now on.
    #[must_use]
    pub fn subscribe(&self) -> JobQueueReceiver {
        JobQueueReceiver(self.0.queued.subscribe())
    }

    fn jobs(&self) -> std::sync::MutexGuard<'_, HashMap<JobId, Arc<RunningJobProgress>>> {
        self.0.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JobQueueReceiver {
    /// Waits until a job is queued in this process. Returns at once if one was queued since the last call.
    pub async fn wait_for_job(&mut self) {
        // The sender is dropped only at the end of the process.
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// The progress of a running job, and the request to stop it.
#[derive(Debug, Default)]
pub struct RunningJobProgress {
    done: AtomicU64,
    total: AtomicU64,
    stop: AtomicBool,
    log: Mutex<String>,
}

impl RunningJobProgress {
    /// Sets the total amount of work.
    pub fn set_total(&self, total: u64) {
        self.total.store(total, Relaxed);
    }

    /// Adds to the amount of work done.
    pub fn add(&self, done: u64) {
        self.done.fetch_add(done, Relaxed);
    }

    /// The amount of work done, and the total, which is 0 while it is unknown.
    pub fn get(&self) -> (u64, u64) {
        (self.done.load(Relaxed), self.total.load(Relaxed))
    }

    /// Sets the amount of work done.
    pub fn set(&self, done: u64) {
        self.done.store(done, Relaxed);
    }

    /// Adds a line to the log that people see.
    pub fn log_line(&self, line: &str) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if !log.is_empty() {
            log.push('\n');
        }
        log.push_str(line);
    }

    /// The log so far, one line per step.
    pub fn log(&self) -> String {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.clone()
    }

    /// Requests the job to stop. None of its work will be kept.
    pub fn request_stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Whether the job is to stop.
    pub fn stop_requested(&self) -> bool {
        self.stop.load(Relaxed)
    }
}
