//! Background work of this process: one job at a time, claimed from the queue that all processes
//! share.
//!
//! A worker renews its lease while it works. Where it dies, the lease runs out and another worker
//! does the job again; a process that shuts down gives it back at once.

mod align;
mod import;
mod score;
#[cfg(test)]
mod tests;

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering::Relaxed},
    },
    time::Duration,
};

use app::{
    automatic::ALIGN,
    imports::{AtWork, IMPORT, Progress},
    metrics::SCORE,
};
use domain::ids::{JobId, UploadId};
use learn::aligner::Aligner;
use store::{Ending, Job, Standing, Store};
use tokio_util::sync::CancellationToken;

use crate::clock;

/// What this worker can do.
const KINDS: [&str; 3] = [IMPORT, ALIGN, SCORE];

/// How long a worker is believed to be alive without a word of it, in milliseconds.
const LEASE_MS: i64 = 60_000;

/// How often it says that it is.
const BEAT: Duration = Duration::from_secs(2);

/// How often it looks for work that other processes queued.
const LOOK: Duration = Duration::from_secs(1);

/// How often, in milliseconds, it looks for outputs that a command line, or another version, aligned
/// less well or did not score.
const LOOK_FOR_OLDER_MS: i64 = 30_000;

/// What people are told of a job that panicked.
const BROKE_OFF: &str =
    "Something went wrong on the server, and nothing was kept. Look into its log.";

/// How a piece of work came to its end.
#[derive(Debug)]
enum End {
    /// With this, which is to be noted; then these files are of no more use.
    Over(Ending, Vec<UploadId>),
    /// It was told to stop.
    Stopped,
}

/// Does jobs until `stop`; then gives the one at hand back.
pub(crate) async fn work(
    store: Store,
    aligner: Arc<Aligner>,
    at_work: AtWork,
    stop: CancellationToken,
) {
    let worker = Worker {
        name: format!("{} {}", std::process::id(), clock::new_id()),
        store,
        aligner,
        looked: AtomicI64::default(),
        scored: score::Looked::default(),
        at_work,
        stop,
    };
    while !worker.stop.is_cancelled() {
        match worker.next().await {
            Ok(Some(job)) => worker.run(job).await,
            Ok(None) => worker.wait().await,
            Err(error) => {
                tracing::warn!(%error, "no job could be looked for");
                worker.wait().await;
            }
        }
    }
}

struct Worker {
    store: Store,
    aligner: Arc<Aligner>,
    /// When it looked for outputs to align or score; 0 when it is to look again.
    looked: AtomicI64,
    /// What it has seen of studies that may lack scores.
    scored: score::Looked,
    at_work: AtWork,
    stop: CancellationToken,
    /// A name that no other worker has.
    name: String,
}

impl Worker {
    async fn next(&self) -> store::Result<Option<Job>> {
        let now = clock::now_ms();
        let swept = self.store.sweep_jobs(now).await?;
        if swept > 0 {
            tracing::warn!(jobs = swept, "jobs were queued again whose worker died");
        }
        let job = self.store.claim_job(&KINDS, &self.name, now + LEASE_MS);
        if let Some(job) = job.await? {
            return Ok(Some(job));
        }
        if now - self.looked.load(Relaxed) > LOOK_FOR_OLDER_MS {
            align::queue(&self.store, &self.aligner, now).await?;
            score::queue(&self.store, &self.scored, now).await?;
            self.looked.store(now, Relaxed);
            return self
                .store
                .claim_job(&KINDS, &self.name, now + LEASE_MS)
                .await;
        }
        Ok(None)
    }

    /// Until there may be work, or it is time to stop.
    async fn wait(&self) {
        tokio::select! {
            () = self.at_work.woken() => {}
            () = tokio::time::sleep(LOOK) => {}
            () = self.stop.cancelled() => {}
        }
    }

    async fn run(&self, job: Job) {
        let (id, kind) = (job.id, job.kind.clone());
        tracing::info!(job = %id, kind, "a job begins");
        let progress = Arc::new(Progress::default());
        self.at_work.set(Some((id, progress.clone())));
        // On its own: while an import writes, a beat may have to wait for it.
        let beating = tokio::spawn(beat(
            self.store.clone(),
            (id, self.name.clone()),
            progress.clone(),
            self.stop.clone(),
        ));
        // On its own as well: what panics takes its job down, and not the worker.
        let store = self.store.clone();
        let done = if kind == ALIGN {
            tokio::spawn(align::run(store, self.aligner.clone(), job, progress)).await
        } else if kind == SCORE {
            tokio::spawn(score::run(store, job, progress)).await
        } else {
            // What it brings in is to be aligned and scored next.
            self.looked.store(0, Relaxed);
            tokio::spawn(import::run(store, job, progress)).await
        };
        beating.abort();
        let end = done.unwrap_or_else(|error| {
            tracing::error!(job = %id, %error, "a job broke off");
            End::Over(Ending::Failed(BROKE_OFF.to_owned()), Vec::new())
        });
        let noted = match end {
            // Told by this process, which shuts down, and not by a person.
            End::Stopped if self.stop.is_cancelled() => {
                self.store.return_job(id, &self.name).await.map(|_| ())
            }
            End::Stopped => self.end(id, &Ending::Cancelled, &[]).await,
            End::Over(ending, spent) => self.end(id, &ending, &spent).await,
        };
        self.at_work.set(None);
        match noted {
            Ok(()) => tracing::info!(job = %id, kind, "a job ended"),
            Err(error) => tracing::error!(job = %id, kind, %error, "a job's end was not noted"),
        }
    }

    async fn end(&self, id: JobId, ending: &Ending, spent: &[UploadId]) -> store::Result<()> {
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
async fn beat(
    store: Store,
    (job, worker): (JobId, String),
    progress: Arc<Progress>,
    stop: CancellationToken,
) {
    let mut beats = tokio::time::interval(BEAT);
    loop {
        tokio::select! {
            _ = beats.tick() => {}
            () = stop.cancelled() => return progress.stop(),
        }
        let (done, total) = progress.get();
        let (done, total) = (done.cast_signed(), total.cast_signed());
        let until = clock::now_ms() + LEASE_MS;
        // While an import writes, this waits for it; whoever shuts down must not.
        let report = store.report_job(job, &worker, done, total, until);
        match stop.run_until_cancelled(report).await {
            None => return progress.stop(),
            Some(Ok(Standing::Held)) => {}
            Some(Ok(Standing::CalledOff | Standing::Lost)) => progress.stop(),
            Some(Err(error)) => tracing::debug!(%job, %error, "a job's progress was not noted"),
        }
    }
}
