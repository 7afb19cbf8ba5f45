//! Background jobs of this process, claimed from the queue that all processes share: one at a time in each
//! lane ([`JobLane`]).
//!
//! A worker renews its lease while it works. When it dies, the lease expires and another worker
//! does the job again; a process that shuts down returns it to the queue at once. A job whose database
//! cannot be used is put back, and tried again after a pause ([`job_runner`]).

mod align;
mod erase;
mod import;
mod job_runner;
mod lanes;
mod score;
mod study_aligners;
#[cfg(test)]
mod tests;
mod train;

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering::Relaxed},
    },
    time::Duration,
};

use domain::ids::UploadId;
use learn::aligner::Aligner;
use service::import::{JobMonitor, JobQueueReceiver, RunningJobProgress};
use store::{Job, JobKind, JobOutcome, Store};
use tokio_util::sync::CancellationToken;

pub(crate) use self::{
    erase::work as erase,
    train::{TrainerSettings, aligner_protocol, protocol, run_worker as train},
};
use self::{
    job_runner::JobRunner,
    lanes::JobLane,
    study_aligners::{StudyAligners, edits_version},
};
use crate::{clock, metrics::MetricResources};

/// Interval between checks for jobs that other processes queued.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Interval, in milliseconds, between scans for outputs that the command line or another version aligned less
/// well or did not score, and for rows of unfinished imports.
const RESCAN_INTERVAL_MS: i64 = 30_000;

/// The end of a job.
#[derive(Debug)]
enum JobEnd {
    /// The outcome to store, and the uploads that can be deleted afterwards.
    Finished(JobOutcome, Vec<UploadId>),
    /// A person or a shutdown stopped the job.
    Stopped,
    /// The database could not be used at the moment, so the job is to be tried again.
    Unavailable(store::Error),
}

/// Releases the jobs that an earlier server of this database was running when it died, so that they need not
/// wait for its leases to end. Use it only where this server is known to be the only one. Trainings are left
/// alone: the process of one may still be at its last step.
pub(crate) async fn release_jobs_of_dead_server(store: &Store) {
    for lane in [JobLane::Import, JobLane::Compute] {
        match store.release_jobs(&lane.kinds(), clock::now_ms()).await {
            Ok(0) => {}
            Ok(jobs) => tracing::warn!(jobs, "jobs were queued again whose server died"),
            Err(error) => tracing::warn!(%error, "jobs of a server that died were not released"),
        }
    }
}

/// Does jobs until `stop`, then returns the current ones to the queue. `started_ms` is the time when this
/// process began to look at the jobs of earlier ones.
pub(crate) async fn work(
    store: Store,
    (aligner, resources): (Arc<Aligner>, Arc<MetricResources>),
    job_monitor: JobMonitor,
    started_ms: i64,
    stop: CancellationToken,
) {
    // A task of its own, because the aligner is available during jobs, too.
    let reporting =
        align::report_availability(store.clone(), edits_version(&aligner), stop.clone());
    let reporting = tokio::spawn(reporting);

    let aligners = Arc::new(StudyAligners::new(aligner));
    let worker = |lane: JobLane| JobWorker {
        runner: JobRunner::new(store.clone(), stop.clone()),
        lane,
        aligners: aligners.clone(),
        resources: resources.clone(),
        started_ms,
        last_scan_ms: AtomicI64::default(),
        scanned_events: score::ScannedEvents::default(),
        job_monitor: job_monitor.clone(),
    };

    let (imports, computations) = (worker(JobLane::Import), worker(JobLane::Compute));
    tokio::join!(imports.work(), computations.work());
    reporting.abort();
}

/// The worker of one lane.
struct JobWorker {
    runner: JobRunner,
    lane: JobLane,
    aligners: Arc<StudyAligners>,
    /// The resources of metrics.
    resources: Arc<MetricResources>,
    /// The time when this process started.
    started_ms: i64,
    /// The time of the last scan for outputs to align or score; 0 to scan at the next opportunity.
    last_scan_ms: AtomicI64,
    /// The studies already checked for missing scores.
    scanned_events: score::ScannedEvents,
    job_monitor: JobMonitor,
}

impl JobWorker {
    /// Does the jobs of its lane until the shutdown.
    async fn work(&self) {
        let mut queued = self.job_monitor.subscribe();
        while !self.runner.stop.is_cancelled() {
            match self.next().await {
                Ok(Some(job)) => self.run(job).await,
                Ok(None) => self.wait(&mut queued).await,
                Err(error) => {
                    tracing::warn!(%error, "the queue could not be read");
                    self.wait(&mut queued).await;
                }
            }
        }
    }

    async fn next(&self) -> Result<Option<Job>, score::ScoreJobError> {
        let kinds = self.lane.kinds();
        if let Some(job) = self.runner.claim(&kinds).await? {
            return Ok(Some(job));
        }
        if self.lane == JobLane::Compute && self.scan().await? {
            return Ok(self.runner.claim(&kinds).await?);
        }
        Ok(None)
    }

    /// Queues jobs for outputs that lack the best edits or scores, and deletes rows of unfinished imports.
    /// Returns false if no scan is due and nobody asked for one.
    async fn scan(&self) -> Result<bool, score::ScoreJobError> {
        let (store, now) = (&self.runner.store, clock::now_ms());
        if self.job_monitor.take_alignment_request() {
            self.last_scan_ms.store(0, Relaxed);
        }
        if now - self.last_scan_ms.load(Relaxed) <= RESCAN_INTERVAL_MS {
            return Ok(false);
        }

        let cleared = store.clear_imports(now).await?;
        if cleared > 0 {
            tracing::info!(imports = cleared, "rows of unfinished imports were deleted");
        }

        align::queue(store, &self.aligners, now, self.started_ms).await?;
        let times = (now, self.started_ms);
        score::queue(store, &self.resources, &self.scanned_events, times).await?;
        self.last_scan_ms.store(now, Relaxed);
        Ok(true)
    }

    /// Waits until there may be a job or the process shuts down.
    async fn wait(&self, queued: &mut JobQueueReceiver) {
        tokio::select! {
            () = queued.wait_for_job() => {}
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            () = self.runner.stop.cancelled() => {}
        }
    }

    async fn run(&self, job: Job) {
        let (id, kind) = (job.id, job.kind);
        let progress = Arc::new(RunningJobProgress::default());
        self.job_monitor.add(id, progress.clone());

        let store = self.runner.store.clone();
        let work: Pin<Box<dyn Future<Output = JobEnd> + Send>> = match kind {
            JobKind::Align => {
                let aligners = self.aligners.clone();
                Box::pin(align::run(store, aligners, job.clone(), progress.clone()))
            }
            JobKind::Score => {
                let resources = self.resources.clone();
                Box::pin(score::run(store, resources, job.clone(), progress.clone()))
            }
            JobKind::Import => Box::pin(import::run(store, job.clone(), progress.clone())),
            JobKind::Train | JobKind::TrainAligner => unreachable!("it is of another lane"),
        };

        self.runner.run(&job, progress, work).await;
        self.job_monitor.remove(id);
        if kind == JobKind::Import {
            // The imported outputs are aligned and scored next.
            self.job_monitor.request_alignment_check();
        }
    }
}
