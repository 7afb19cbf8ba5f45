//! Background work of this process: one job at a time, claimed from the queue that all processes
//! share.
//!
//! A worker renews its lease while it works. Where it dies, the lease runs out and another worker
//! does the job again; a process that shuts down gives it back at once.

mod align;
mod hand;
mod import;
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

use app::{
    automatic::ALIGN,
    imports::{AtWork, IMPORT, Progress},
    metrics::SCORE,
};
use domain::ids::UploadId;
use learn::aligner::Aligner;
use store::{Ending, Job, Store};
use tokio_util::sync::CancellationToken;

use self::hand::Hand;
pub(crate) use self::train::{Trainer, work as train};
use crate::{clock, metrics::Means};

/// What this worker can do.
const KINDS: [&str; 3] = [IMPORT, ALIGN, SCORE];

/// How often it looks for work that other processes queued.
const LOOK: Duration = Duration::from_secs(1);

/// How often, in milliseconds, it looks for outputs that a command line, or another version, aligned
/// less well or did not score, and for rows of imports that came to no end.
const LOOK_FOR_OLDER_MS: i64 = 30_000;

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
    (aligner, means): (Arc<Aligner>, Arc<Means>),
    at_work: AtWork,
    stop: CancellationToken,
) {
    // On its own: while a job is done, the aligner is there all the same.
    let reporting = align::report(store.clone(), align::version(&aligner), stop.clone());
    let reporting = tokio::spawn(reporting);
    let worker = Worker {
        hand: Hand::new(store, stop),
        aligner,
        means,
        looked: AtomicI64::default(),
        scored: score::Looked::default(),
        at_work,
    };
    while !worker.hand.stop.is_cancelled() {
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

struct Worker {
    hand: Hand,
    aligner: Arc<Aligner>,
    /// What metrics are computed by.
    means: Arc<Means>,
    /// When it looked for outputs to align or score; 0 when it is to look again.
    looked: AtomicI64,
    /// What it has seen of studies that may lack scores.
    scored: score::Looked,
    at_work: AtWork,
}

impl Worker {
    async fn next(&self) -> Result<Option<Job>, score::Failure> {
        if let Some(job) = self.hand.claim(&KINDS).await? {
            return Ok(Some(job));
        }
        let now = clock::now_ms();
        if self.at_work.takes_another_look() {
            self.looked.store(0, Relaxed);
        }
        if now - self.looked.load(Relaxed) > LOOK_FOR_OLDER_MS {
            let store = &self.hand.store;
            let cleared = store.clear_imports(now).await?;
            if cleared > 0 {
                tracing::info!(
                    imports = cleared,
                    "rows of imports that came to no end were deleted"
                );
            }
            align::queue(store, &self.aligner, now).await?;
            score::queue(store, &self.means, &self.scored, now).await?;
            self.looked.store(now, Relaxed);
            return Ok(self.hand.claim(&KINDS).await?);
        }
        Ok(None)
    }

    /// Until there may be work, or it is time to stop.
    async fn wait(&self) {
        tokio::select! {
            () = self.at_work.woken() => {}
            () = tokio::time::sleep(LOOK) => {}
            () = self.hand.stop.cancelled() => {}
        }
    }

    async fn run(&self, job: Job) {
        let (id, progress) = (job.id, Arc::new(Progress::default()));
        self.at_work.set(Some((id, progress.clone())));
        let store = self.hand.store.clone();
        let work: Pin<Box<dyn Future<Output = End> + Send>> = match &job.kind[..] {
            ALIGN => {
                let aligner = self.aligner.clone();
                Box::pin(align::run(store, aligner, job.clone(), progress.clone()))
            }
            SCORE => {
                let means = self.means.clone();
                Box::pin(score::run(store, means, job.clone(), progress.clone()))
            }
            _ => {
                // What it brings in is to be aligned and scored next.
                self.looked.store(0, Relaxed);
                Box::pin(import::run(store, job.clone(), progress.clone()))
            }
        };
        self.hand.run(&job, progress, work).await;
        self.at_work.set(None);
    }
}
