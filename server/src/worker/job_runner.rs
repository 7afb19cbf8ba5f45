use std::{sync::Arc, time::Duration};

use domain::ids::{JobId, UploadId};
use service::import::RunningJobProgress;
use store::{Job, JobLeaseState, JobOutcome, JobReport, Store};
use tokio_util::sync::CancellationToken;

use super::JobEnd;
use crate::clock;

/// How long a worker is believed to be alive without a word of it, in milliseconds.
const LEASE_MS: i64 = 60_000;

/// How often it says that it is.
const HEARTBEAT: Duration = Duration::from_secs(2);

/// What people are told of a job that panicked.
const PANIC_MESSAGE: &str =
    "Something went wrong on the server, and nothing was kept. Look into its log.";

/// What takes jobs from the queue and holds them while they are done.
pub(super) struct JobRunner {
    pub(super) store: Store,
    /// When to stop, and give the job at hand back.
    pub(super) stop: CancellationToken,
    /// A name that no other has.
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

    /// The job of one of these kinds that has waited longest.
    pub(super) async fn claim(&self, kinds: &[&str]) -> store::Result<Option<Job>> {
        let now = clock::now_ms();
        let swept = self.store.sweep_jobs(now).await?;
        if swept > 0 {
            tracing::warn!(jobs = swept, "jobs were queued again whose worker died");
        }
        let until = now + LEASE_MS;
        self.store.claim_job(kinds, &self.name, until).await
    }

    /// Holds the job while `work` does it, and notes its end.
    pub(super) async fn run(
        &self,
        job: &Job,
        progress: Arc<RunningJobProgress>,
        work: impl Future<Output = JobEnd> + Send + 'static,
    ) {
        let (id, kind) = (job.id, &job.kind);
        tracing::info!(job = %id, kind, "a job begins");
        // On its own: while an import writes, a beat may have to wait for it.
        let beating = tokio::spawn(send_heartbeats(
            self.store.clone(),
            (id, self.name.clone()),
            progress.clone(),
            self.stop.clone(),
        ));
        // On its own as well: what panics takes its job down, and not the worker.
        let done = tokio::spawn(work).await;
        beating.abort();
        let end = done.unwrap_or_else(|error| {
            tracing::error!(job = %id, %error, "a job broke off");
            JobEnd::Finished(JobOutcome::Failed(PANIC_MESSAGE.to_owned()), Vec::new())
        });
        let returned = matches!(end, JobEnd::Stopped) && self.stop.is_cancelled();
        // What was said since the last beat.
        if !returned
            && let Err(error) = report_progress(&self.store, id, &self.name, &progress).await
        {
            tracing::debug!(job = %id, %error, "the end of a job's log was not noted");
        }
        let noted = match end {
            // Told by this process, which shuts down, and not by a person.
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

/// Says that the worker is at work, until it is aborted, and tells the work to stop when somebody
/// calls it off, another worker has it, or the process shuts down.
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
        // While an import writes, this waits for it; whoever shuts down must not.
        let told = report_progress(&store, job, &worker, &progress);
        match stop.run_until_cancelled(told).await {
            None => return progress.request_stop(),
            Some(Ok(JobLeaseState::Held)) => {}
            Some(Ok(JobLeaseState::Cancelled | JobLeaseState::Lost)) => progress.request_stop(),
            Some(Err(error)) => tracing::debug!(%job, %error, "a job's progress was not noted"),
        }
    }
}

/// Notes how far a job is and what was said of it, and holds it for a while.
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
