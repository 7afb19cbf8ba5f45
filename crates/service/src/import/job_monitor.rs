use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
};

use domain::ids::JobId;
use tokio::sync::Notify;

/// What the worker of this process is doing: how far it is, and that it was called off, row by row, which
/// would be too much to write into the database.
#[derive(Debug, Clone, Default)]
pub struct JobMonitor(Arc<JobMonitorInner>);

#[derive(Debug, Default)]
struct JobMonitorInner {
    job: Mutex<Option<(JobId, Arc<RunningJobProgress>)>>,
    queued: Notify,
    look_again: AtomicBool,
}

impl JobMonitor {
    /// Notes the job that the worker does now, or that it does none.
    pub fn set(&self, job: Option<(JobId, Arc<RunningJobProgress>)>) {
        *self.job() = job;
    }

    /// How far the job is, where it is this process that does it.
    pub fn progress(&self, job: JobId) -> Option<Arc<RunningJobProgress>> {
        let at_work = self.job();
        let (_, progress) = at_work.as_ref().filter(|(id, _)| *id == job)?;
        Some(progress.clone())
    }

    /// Tells the worker that a job was queued.
    pub fn wake(&self) {
        self.0.queued.notify_one();
    }

    /// Tells the worker that an annotator waits for outputs to be aligned, so that it looks for them now.
    pub fn request_alignment_check(&self) {
        self.0.look_again.store(true, Relaxed);
        self.wake();
    }

    /// Whether [`AtWork::look_again`] was called since the last time that this was asked.
    #[must_use]
    pub fn take_alignment_request(&self) -> bool {
        self.0.look_again.swap(false, Relaxed)
    }

    /// Resolves once a job was queued in this process.
    pub async fn wait_for_job(&self) {
        self.0.queued.notified().await;
    }

    fn job(&self) -> std::sync::MutexGuard<'_, Option<(JobId, Arc<RunningJobProgress>)>> {
        self.0.job.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How far a job is, and whether it is to stop.
#[derive(Debug, Default)]
pub struct RunningJobProgress {
    done: AtomicU64,
    total: AtomicU64,
    stop: AtomicBool,
    log: Mutex<String>,
}

impl RunningJobProgress {
    /// Notes how much there is to do.
    pub fn set_total(&self, total: u64) {
        self.total.store(total, Relaxed);
    }

    /// Adds to what is done.
    pub fn add(&self, done: u64) {
        self.done.fetch_add(done, Relaxed);
    }

    /// How much is done, of how much; of 0 while nobody knows.
    pub fn get(&self) -> (u64, u64) {
        (self.done.load(Relaxed), self.total.load(Relaxed))
    }

    /// Notes that so much is done.
    pub fn set(&self, done: u64) {
        self.done.store(done, Relaxed);
    }

    /// Adds a line for people to what is said of the work.
    pub fn log_line(&self, line: &str) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if !log.is_empty() {
            log.push('\n');
        }
        log.push_str(line);
    }

    /// What is said of the work so far, a line a step.
    pub fn log(&self) -> String {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.clone()
    }

    /// Asks the work to stop; nothing of it will be kept.
    pub fn request_stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Whether the work is to stop.
    pub fn stop_requested(&self) -> bool {
        self.stop.load(Relaxed)
    }
}
