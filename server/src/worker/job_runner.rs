use std::{sync::Arc, time::Duration};

use domain::ids::{JobId, UploadId};
use service::import::RunningJobProgress;
use store::{Job, JobKind, JobLeaseState, JobOutcome, JobReport, Store};
use tokio_util::sync::CancellationToken;

use super::JobEnd;
use crate::clock;

/// The length of a lease without a heartbeat, in milliseconds.
const LEASE_MS: i64 = 60_000;

/// The interval of heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(2);

/// The message of a job that panicked.
const PANIC_MESSAGE: &str =
    "Something went wrong on the server, and nothing was kept. Look into its log.";

/// Claims jobs from the queue, and renews their leases while they run.
pub(super) struct JobRunner {
    pub(super) store: Store,
    /// Cancelled when the process shuts down: the current job is returned to the queue.
    pub(super) stop: CancellationToken,
    /// A name that is unique among workers.
    name: String,
}

impl JobRunner {
    pub(super) fn new(store: Store, stop: CancellationToken) -> Self {
        Self {
            store,
            stop,
            name: format!("{} {}", std::process::id(), clock::new_id()),
        }
    }

    /// Claims the job of one of these kinds that has waited longest.
    pub(super) async fn claim(&self, kinds: &[JobKind]) -> store::Result<Option<Job>> {
        let now = clock::now_ms();
        let swept = self.store.sweep_jobs(now).await?;
        if swept > 0 {
            tracing::warn!(jobs = swept, "jobs were queued again whose worker died");
        }
        let until = now + LEASE_MS;
        self.store.claim_job(kinds, &self.name, until).await
    }

    /// Renews the job's lease while `work` runs, and stores its outcome.
    pub(super) async fn run(
        &self,
        job: &Job,
        progress: Arc<RunningJobProgress>,
        work: impl Future<Output = JobEnd> + Send + 'static,
    ) {
        let (id, kind) = (job.id, job.kind.name());
        tracing::info!(job = %id, kind, "a job begins");
        // A task of its own: while an import writes, a heartbeat may have to wait for it.
        let beating = tokio::spawn(send_heartbeats(
            self.store.clone(),
            (id, self.name.clone()),
            progress.clone(),
            self.stop.clone(),
        ));
        // A task of its own as well: a panic ends the job, and not the worker.
        let result = tokio::spawn(work).await;
        beating.abort();
        let end = result.unwrap_or_else(|error| {
            tracing::error!(job = %id, %error, "a job broke off");
            JobEnd::Finished(JobOutcome::Failed(PANIC_MESSAGE.to_owned()), Vec::new())
        });
        let returned = matches!(end, JobEnd::Stopped) && self.stop.is_cancelled();
        // The log since the last heartbeat.
        if !returned
            && let Err(error) = report_progress(&self.store, id, &self.name, &progress).await
        {
            tracing::debug!(job = %id, %error, "the end of a job's log was not noted");
        }
        let noted = match end {
            // Stopped by the shutdown, and not by a person.
            JobEnd::Stopped if returned => self.store.return_job(id, &self.name).await.map(|_| ()),
            JobEnd::Stopped => self.end_job(id, &JobOutcome::Cancelled, &[]).await,
            JobEnd::Finished(ending, spent) => self.end_job(id, &ending, &spent).await,
        };
        match noted {
            Ok(()) => tracing::info!(job = %id, kind, "a job ended"),
            Err(error) => tracing::error!(job = %id, kind, %error, "a job's end was not noted"),
        }
    }

    async fn end_job(
        &self,
        id: JobId,
        ending: &JobOutcome,
        spent: &[UploadId],
    ) -> store::Result<()> {
        let (store, now) = (&self.store, clock::now_ms());
        if store.end_job(id, &self.name, ending, now).await? {
            for upload in spent {
                store.delete_upload(*upload).await?;
            }
        }
        Ok(())
    }
}

/// Sends heartbeats until it is aborted, and tells the job to stop when a person
/// cancels it, another worker has it, or the process shuts down.
async fn send_heartbeats(
    store: Store,
    (job, worker): (JobId, String),
    progress: Arc<RunningJobProgress>,
    stop: CancellationToken,
) {
    let mut beats = tokio::time::interval(HEARTBEAT);
    loop {
        tokio::select! {
            _ = beats.tick() => {}
            () = stop.cancelled() => return progress.request_stop(),
        }
        // While an import writes, this waits for it; a shutdown must not.
        let report = report_progress(&store, job, &worker, &progress);
        match stop.run_until_cancelled(report).await {
            None => return progress.request_stop(),
            Some(Ok(JobLeaseState::Held)) => {}
            Some(Ok(JobLeaseState::Cancelled | JobLeaseState::Lost)) => progress.request_stop(),
            Some(Err(error)) => tracing::debug!(%job, %error, "a job's progress was not noted"),
        }
    }
}

/// Stores a job's progress and log, and renews its lease.
async fn report_progress(
    store: &Store,
    job: JobId,
    worker: &str,
    progress: &RunningJobProgress,
) -> store::Result<JobLeaseState> {
    let (done, total) = progress.get();
    let log = progress.log();
    let report = JobReport {
        done: done.cast_signed(),
        total: total.cast_signed(),
        log: &log,
    };
    let until = clock::now_ms() + LEASE_MS;
    store.report_job(job, worker, report, until).await
}
