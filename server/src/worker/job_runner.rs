//! Runs jobs of the queue: claims them, renews their leases, and stores their outcomes.
//!
//! A job that fails because the database cannot be used (its server restarts, it is busy, its disk is full)
//! does not end. It is put back and claimed again after a pause that grows from a second to a minute, until
//! half an hour of pauses is over. Storing the outcome of a finished job waits for the database, too.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering::Relaxed},
    },
    time::Duration,
};

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

/// Time, in milliseconds, in which other workers may renew their leases after a failure of the database,
/// before these leases count as expired.
const RENEWAL_MS: i64 = 10_000;

/// Maximum number of retries. Their pauses of 1, 2, 4, … 32 and then 60 seconds make half an hour.
pub(super) const MAX_RETRIES: i64 = 34;

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
    /// When this runner last failed to use the database; 0 for never.
    last_failure_ms: Arc<AtomicI64>,
}

impl JobRunner {
    pub(super) fn new(store: Store, stop: CancellationToken) -> Self {
        Self {
            store,
            stop,
            name: format!("{} {}", std::process::id(), clock::new_id()),
            last_failure_ms: Arc::default(),
        }
    }

    /// Claims the job of these kinds that has waited longest.
    pub(super) async fn claim(&self, kinds: &[JobKind]) -> store::Result<Option<Job>> {
        let claimed = self.sweep_and_claim(kinds).await;
        if claimed.is_err() {
            self.last_failure_ms.store(clock::now_ms(), Relaxed);
        }
        claimed
    }

    async fn sweep_and_claim(&self, kinds: &[JobKind]) -> store::Result<Option<Job>> {
        let now = clock::now_ms();
        // No worker could renew its lease while the database was away.
        if now - self.last_failure_ms.load(Relaxed) > RENEWAL_MS {
            let swept = self.store.sweep_jobs(now).await?;
            if swept > 0 {
                tracing::warn!(jobs = swept, "jobs were queued again whose worker died");
            }
        }

        self.store.claim_job(kinds, &self.name, now, LEASE_MS).await
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

        // A task of its own, because a heartbeat may have to wait while an import writes.
        let beating = tokio::spawn(send_heartbeats(
            self.store.clone(),
            (id, self.name.clone()),
            progress.clone(),
            self.last_failure_ms.clone(),
            self.stop.clone(),
        ));

        // Also a task of its own, so that a panic ends the job and not the worker.
        let result = tokio::spawn(work).await;
        let end = result.unwrap_or_else(|error| {
            tracing::error!(job = %id, %error, "a job broke off");
            JobEnd::Finished(JobOutcome::Failed(PANIC_MESSAGE.to_owned()), Vec::new())
        });

        let noted = self.note_end(job, end, &progress).await;
        // Until here the lease is renewed: the database may have been away for longer than it lasts.
        beating.abort();

        match noted {
            Ok(()) => tracing::info!(job = %id, kind, "a job ended"),
            Err(error) => tracing::error!(job = %id, kind, %error, "a job's end was not noted"),
        }
    }

    async fn note_end(
        &self,
        job: &Job,
        end: JobEnd,
        progress: &RunningJobProgress,
    ) -> store::Result<()> {
        let id = job.id;
        if self.stop.is_cancelled() && !matches!(end, JobEnd::Finished(..)) {
            // The shutdown stopped the job, not a person.
            return self.store.return_job(id, &self.name).await.map(|_| ());
        }

        let (outcome, spent) = match end {
            JobEnd::Unavailable(error) if !progress.stop_requested() => {
                tracing::warn!(job = %id, %error, "the database could not be used for a job");
                if job.retries < MAX_RETRIES {
                    return self.postpone(job).await;
                }
                (JobOutcome::Failed(give_up_message(&error)), Vec::new())
            }
            JobEnd::Unavailable(_) | JobEnd::Stopped => (JobOutcome::Cancelled, Vec::new()),
            JobEnd::Finished(outcome, spent) => (outcome, spent),
        };

        // Stores the log since the last heartbeat.
        if let Err(error) = report_progress(&self.store, id, &self.name, progress).await {
            tracing::debug!(job = %id, %error, "the end of a job's log was not noted");
        }
        self.end_job(id, &outcome, &spent).await
    }

    /// Puts the job back, to be claimed again after its next pause.
    async fn postpone(&self, job: &Job) -> store::Result<()> {
        let pause = retry_pause(job.retries);
        let note = format!(
            "Waiting for the database, which cannot be used at the moment. This is tried again in {}.",
            service::wording::count_noun(pause.as_secs() as usize, "second"),
        );
        let pause_ms = i64::try_from(pause.as_millis()).expect("a minute at most");

        self.when_usable(|| {
            let now = clock::now_ms();
            self.store
                .postpone_job(job.id, &self.name, &note, now, now + pause_ms)
        })
        .await
        .map(|_| ())
    }

    async fn end_job(
        &self,
        id: JobId,
        outcome: &JobOutcome,
        spent: &[UploadId],
    ) -> store::Result<()> {
        let store = &self.store;
        let end = || store.end_job(id, &self.name, outcome, clock::now_ms());
        if self.when_usable(end).await? {
            for upload in spent {
                store.delete_upload(*upload).await?;
            }
        }
        Ok(())
    }

    /// Retries a write, with growing pauses, until the database can be used or the process shuts down.
    async fn when_usable<T, W>(&self, write: impl Fn() -> W + Send + Sync) -> store::Result<T>
    where
        W: Future<Output = store::Result<T>> + Send,
    {
        let mut retries = 0;
        loop {
            let result = write().await;
            match result {
                Err(error) if error.may_pass() && !self.stop.is_cancelled() => {
                    tracing::warn!(%error, "the state of a job could not be noted yet");
                    self.last_failure_ms.store(clock::now_ms(), Relaxed);
                    let pause = tokio::time::sleep(retry_pause(retries));
                    self.stop.run_until_cancelled(pause).await;
                    retries += 1;
                }
                result => return result,
            }
        }
    }
}

/// The pause before the next attempt, after that many retries.
fn retry_pause(retries: i64) -> Duration {
    Duration::from_secs(match retries {
        0..=5 => 1 << retries,
        _ => 60,
    })
}

/// The message of a job whose database could not be used for too long.
fn give_up_message(error: &store::Error) -> String {
    format!("The database could not be used for half an hour. {error} Then begin this again.")
}

/// Sends heartbeats until it is aborted, and tells the job to stop when a person cancels it, another worker
/// has it, or the process shuts down.
async fn send_heartbeats(
    store: Store,
    (job, worker): (JobId, String),
    progress: Arc<RunningJobProgress>,
    last_failure_ms: Arc<AtomicI64>,
    stop: CancellationToken,
) {
    let mut beats = tokio::time::interval(HEARTBEAT);
    loop {
        tokio::select! {
            _ = beats.tick() => {}
            () = stop.cancelled() => return progress.request_stop(),
        }

        // This waits while an import writes, but a shutdown must not.
        let report = report_progress(&store, job, &worker, &progress);
        match stop.run_until_cancelled(report).await {
            None => return progress.request_stop(),
            Some(Ok(JobLeaseState::Held)) => {}
            Some(Ok(JobLeaseState::Cancelled | JobLeaseState::Lost)) => progress.request_stop(),
            Some(Err(error)) => {
                last_failure_ms.store(clock::now_ms(), Relaxed);
                tracing::debug!(%job, %error, "a job's progress was not noted");
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pauses_of_a_job_make_half_an_hour() {
        let pauses: Vec<u64> = (0..MAX_RETRIES)
            .map(|retries| retry_pause(retries).as_secs())
            .collect();
        assert_eq!(pauses[..8], [1, 2, 4, 8, 16, 32, 60, 60]);
        let minutes = pauses.iter().sum::<u64>() / 60;
        assert!((28..=30).contains(&minutes), "{minutes}");
    }
}
