//! Background work of this process: one job at a time, claimed from the queue that all processes
//! share.
//!
//! A worker renews its lease while it works. Where it dies, the lease runs out and another worker
//! does the job again; a process that shuts down gives it back at once.

mod align;
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
use service::{
    automatic_annotation::ALIGN,
    import::{IMPORT, JobMonitor, RunningJobProgress},
    metrics::SCORE,
};
use store::{Job, JobOutcome, Store};
use tokio_util::sync::CancellationToken;

use self::job_runner::JobRunner;
pub(crate) use self::train::{TrainerSettings, run_worker as train};
use crate::{clock, metrics::MetricResources};

/// What this worker can do.
const JOB_KINDS: [&str; 3] = [IMPORT, ALIGN, SCORE];

/// How often it looks for work that other processes queued.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How often, in milliseconds, it looks for outputs that a command line, or another version, aligned
/// less well or did not score, and for rows of imports that came to no end.
const RESCAN_INTERVAL_MS: i64 = 30_000;

/// How a piece of work came to its end.
#[derive(Debug)]
enum JobEnd {
    /// With this, which is to be noted; then these files are of no more use.
    Finished(JobOutcome, Vec<UploadId>),
    /// It was told to stop.
    Stopped,
}

/// Does jobs until `stop`; then gives the one at hand back.
pub(crate) async fn work(
    store: Store,
    (aligner, means): (Arc<Aligner>, Arc<MetricResources>),
    at_work: JobMonitor,
    stop: CancellationToken,
) {
    // On its own: while a job is done, the aligner is there all the same.
    let reporting =
        align::report_availability(store.clone(), align::edits_version(&aligner), stop.clone());
    let reporting = tokio::spawn(reporting);
    let worker = JobWorker {
        runner: JobRunner::new(store, stop),
        aligner,
        resources: means,
        last_scan_ms: AtomicI64::default(),
        scanned_events: score::ScannedEvents::default(),
        at_work,
    };
    while !worker.runner.stop.is_cancelled() {
        match worker.next().await {
            Ok(Some(job)) => worker.run(job).await,
            Ok(None) => worker.wait().await,
            Err(error) => {
                tracing::warn!(%error, "no job could be looked for");
                worker.wait().await;
            }
        }
    }
    reporting.abort();
}

struct JobWorker {
    runner: JobRunner,
    aligner: Arc<Aligner>,
    /// What metrics are computed by.
    resources: Arc<MetricResources>,
    /// When it looked for outputs to align or score; 0 when it is to look again.
    last_scan_ms: AtomicI64,
    /// What it has seen of studies that may lack scores.
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
                tracing::info!(
                    imports = cleared,
                    "rows of imports that came to no end were deleted"
                );
            }
            align::queue(store, &self.aligner, now).await?;
            score::queue(store, &self.resources, &self.scanned_events, now).await?;
            self.last_scan_ms.store(now, Relaxed);
            return Ok(self.runner.claim(&JOB_KINDS).await?);
        }
        Ok(None)
    }

    /// Until there may be work, or it is time to stop.
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
        let work: Pin<Box<dyn Future<Output = JobEnd> + Send>> = match &job.kind[..] {
            ALIGN => {
                let aligner = self.aligner.clone();
                Box::pin(align::run(store, aligner, job.clone(), progress.clone()))
            }
            SCORE => {
                let means = self.resources.clone();
                Box::pin(score::run(store, means, job.clone(), progress.clone()))
            }
            _ => {
                // What it brings in is to be aligned and scored next.
                self.last_scan_ms.store(0, Relaxed);
                Box::pin(import::run(store, job.clone(), progress.clone()))
            }
        };
        self.runner.run(&job, progress, work).await;
        self.at_work.set(None);
    }
}
