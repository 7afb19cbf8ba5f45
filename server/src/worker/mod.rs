//! Background jobs of this process: one at a time, claimed from the queue that all processes
//! share.
//!
//! A worker renews its lease while it works. When it dies, the lease expires and another worker
//! does the job again; a process that shuts down returns it to the queue at once.

mod align;
mod erase;
mod import;
mod job_runner;
mod score;
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
use service::import::{JobMonitor, RunningJobProgress};
use store::{Job, JobKind, JobOutcome, Store};
use tokio_util::sync::CancellationToken;

use self::job_runner::JobRunner;
pub(crate) use self::{
    erase::work as erase,
    train::{TrainerSettings, protocol, run_worker as train},
};
use crate::{clock, metrics::MetricResources};

/// The jobs that this worker does; trainings have a worker of their own.
const JOB_KINDS: [JobKind; 3] = [JobKind::Import, JobKind::Align, JobKind::Score];

/// How often the worker looks for jobs that other processes queued.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How often, in milliseconds, the worker looks for outputs that the command line, or another version, aligned
/// less well or did not score, and for rows of unfinished imports.
const RESCAN_INTERVAL_MS: i64 = 30_000;

/// How a job ended.
#[derive(Debug)]
enum JobEnd {
    /// With this outcome, to be stored; then these uploads can be deleted.
    Finished(JobOutcome, Vec<UploadId>),
    /// It was told to stop, by a person or a shutdown.
    Stopped,
}

/// Does jobs until `stop`, then returns the current one to the queue.
pub(crate) async fn work(
    store: Store,
    (aligner, resources): (Arc<Aligner>, Arc<MetricResources>),
    at_work: JobMonitor,
    stop: CancellationToken,
) {
    // A task of its own, since the aligner is available during jobs, too.
    let reporting =
        align::report_availability(store.clone(), align::edits_version(&aligner), stop.clone());
    let reporting = tokio::spawn(reporting);
    let worker = JobWorker {
        runner: JobRunner::new(store, stop),
        aligner,
        resources,
        last_scan_ms: AtomicI64::default(),
        scanned_events: score::ScannedEvents::default(),
        at_work,
    };
    while !worker.runner.stop.is_cancelled() {
        match worker.next().await {
            Ok(Some(job)) => worker.run(job).await,
            Ok(None) => worker.wait().await,
            Err(error) => {
                tracing::warn!(%error, "the queue could not be read");
                worker.wait().await;
            }
        }
    }
    reporting.abort();
}

struct JobWorker {
    runner: JobRunner,
    aligner: Arc<Aligner>,
    /// The resources of metrics.
    resources: Arc<MetricResources>,
    /// The time of the last scan for outputs to align or score; 0 to scan at the next opportunity.
    last_scan_ms: AtomicI64,
    /// The studies that were already checked for missing scores.
    scanned_events: score::ScannedEvents,
    at_work: JobMonitor,
}

impl JobWorker {
    async fn next(&self) -> Result<Option<Job>, score::ScoreJobError> {
        if let Some(job) = self.runner.claim(&JOB_KINDS).await? {
            return Ok(Some(job));
        }
        let now = clock::now_ms();
        if self.at_work.take_alignment_request() {
            self.last_scan_ms.store(0, Relaxed);
        }
        if now - self.last_scan_ms.load(Relaxed) > RESCAN_INTERVAL_MS {
            let store = &self.runner.store;
            let cleared = store.clear_imports(now).await?;
            if cleared > 0 {
                tracing::info!(imports = cleared, "rows of unfinished imports were deleted");
            }
            align::queue(store, &self.aligner, now).await?;
            score::queue(store, &self.resources, &self.scanned_events, now).await?;
            self.last_scan_ms.store(now, Relaxed);
            return Ok(self.runner.claim(&JOB_KINDS).await?);
        }
        Ok(None)
    }

    /// Waits until there may be a job, or for the shutdown.
    async fn wait(&self) {
        tokio::select! {
            () = self.at_work.wait_for_job() => {}
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            () = self.runner.stop.cancelled() => {}
        }
    }

    async fn run(&self, job: Job) {
        let (id, progress) = (job.id, Arc::new(RunningJobProgress::default()));
        self.at_work.set(Some((id, progress.clone())));
        let store = self.runner.store.clone();
        let work: Pin<Box<dyn Future<Output = JobEnd> + Send>> = match job.kind {
            JobKind::Align => {
                let aligner = self.aligner.clone();
                Box::pin(align::run(store, aligner, job.clone(), progress.clone()))
            }
            JobKind::Score => {
                let resources = self.resources.clone();
                Box::pin(score::run(store, resources, job.clone(), progress.clone()))
            }
            JobKind::Train => unreachable!("it is not among the claimed kinds"),
            JobKind::Import => {
                // The imported outputs are to be aligned and scored next.
                self.last_scan_ms.store(0, Relaxed);
                Box::pin(import::run(store, job.clone(), progress.clone()))
            }
        };
        self.runner.run(&job, progress, work).await;
        self.at_work.set(None);
    }
}
