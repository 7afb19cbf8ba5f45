use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
};

use domain::ids::JobId;
use tokio::sync::Notify;

/// The job that this process's worker is running, with its progress and requests to stop it. These change row
/// by row, which would be too often to write them to the database.
#[derive(Debug, Clone, Default)]
pub struct JobMonitor(Arc<JobMonitorInner>);

#[derive(Debug, Default)]
struct JobMonitorInner {
    job: Mutex<Option<(JobId, Arc<RunningJobProgress>)>>,
    queued: Notify,
    alignment_requested: AtomicBool,
}

impl JobMonitor {
    /// Sets the job that the worker is running now, if any.
    pub fn set(&self, job: Option<(JobId, Arc<RunningJobProgress>)>) {
        *self.job() = job;
    }

    /// The progress of the job, if this process is running it.
    pub fn progress(&self, job: JobId) -> Option<Arc<RunningJobProgress>> {
        let current = self.job();
        let (_, progress) = current.as_ref().filter(|(id, _)| *id == job)?;
        Some(progress.clone())
    }

    /// Wakes the worker, since a job was queued.
    pub fn wake(&self) {
        self.0.queued.notify_one();
    }

    /// Wakes the worker to check for outputs to align now, since an annotator is waiting for them.
    pub fn request_alignment_check(&self) {
        self.0.alignment_requested.store(true, Relaxed);
        self.wake();
    }

    /// Whether [`Self::request_alignment_check`] was called since the last call of this function.
    #[must_use]
    pub fn take_alignment_request(&self) -> bool {
        self.0.alignment_requested.swap(false, Relaxed)
    }

    /// Waits until a job is queued in this process.
    pub async fn wait_for_job(&self) {
        self.0.queued.notified().await;
    }

    fn job(&self) -> std::sync::MutexGuard<'_, Option<(JobId, Arc<RunningJobProgress>)>> {
        self.0.job.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The progress of a running job, and whether it is to stop.
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

    /// Adds to the amount that is done.
    pub fn add(&self, done: u64) {
        self.done.fetch_add(done, Relaxed);
    }

    /// The amount that is done and the total, which is 0 while it is unknown.
    pub fn get(&self) -> (u64, u64) {
        (self.done.load(Relaxed), self.total.load(Relaxed))
    }

    /// Sets the amount that is done.
    pub fn set(&self, done: u64) {
        self.done.store(done, Relaxed);
    }

    /// Adds a line to the log that is shown to people.
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

    /// Requests the job to stop; nothing of it will be kept.
    pub fn request_stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Whether the job is to stop.
    pub fn stop_requested(&self) -> bool {
        self.stop.load(Relaxed)
    }
}
