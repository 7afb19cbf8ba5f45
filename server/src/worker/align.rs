//! Alignment jobs compute automatic edits again where the study's aligner, its own or the server's, replaces
//! the one that made them.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use domain::{
    ids::{JobId, OutputId, StudyId},
    text::{
        align::grid::AlignmentStyle,
        edits::{EditsVersion, derive_edits},
        tokenised_text::TokenisedText,
    },
};
use learn::encoder::EncoderError;
use serde::{Deserialize, Serialize};
use service::import::RunningJobProgress;
use store::{Job, JobKind, JobOutcome, JobState, NewJob, Store, alignments::OutputToAlign};
use tokio_util::sync::CancellationToken;

use super::{
    JobEnd,
    study_aligners::{StudyAligners, VersionedAligner},
};
use crate::clock;

/// Outputs per transaction.
const BATCH_SIZE: u32 = 64;

/// Interval at which the worker reports to the database that its aligner is available.
const REPORT_INTERVAL: Duration = Duration::from_secs(30);

/// The delay before a study whose alignment failed or was cancelled is aligned again, in milliseconds.
const RETRY_AFTER_MS: i64 = 60 * 60 * 1000;

/// The input of an alignment job.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct AlignJob {
    /// The versions of the edits to compute again.
    versions: Vec<String>,
}

/// The result of an alignment job.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct AlignJobResult {
    outputs: u64,
    version: String,
    /// The duration, in milliseconds.
    ms: i64,
}

/// Reports to the database, until `stop`, that this aligner is available, so that every server holds back the
/// sources whose outputs it has yet to align.
pub(super) async fn report_availability(
    store: Store,
    version: EditsVersion,
    stop: CancellationToken,
) {
    while !stop.is_cancelled() {
        if let Err(error) = store.report_aligner(version, clock::now_ms()).await {
            tracing::warn!(%error, "the aligner could not be reported");
        }
        stop.run_until_cancelled(tokio::time::sleep(REPORT_INTERVAL))
            .await;
    }
}

/// Queues an alignment job for each study whose aligner replaces the one that made its automatic edits,
/// unless a job is running, or the last one failed or was cancelled recently. A failure from before this
/// server started does not count: an earlier server may have been killed.
pub(super) async fn queue(
    store: &Store,
    aligners: &StudyAligners,
    now_ms: i64,
    started_ms: i64,
) -> store::Result<()> {
    let mut older_versions: BTreeMap<StudyId, Vec<String>> = BTreeMap::new();
    let (own, of_server) = (aligners.load_own(store).await?, aligners.server());
    for (study, made_by) in store.edits_versions().await? {
        let aligner = match own.get(&study) {
            Some(own) => own.as_ref(),
            None => Some(&of_server),
        };
        let version = made_by.parse::<EditsVersion>();
        let is_replaced = |version: EditsVersion| {
            aligner.is_some_and(|aligner| version.is_replaced_by(aligner.version))
        };
        if version.is_ok_and(is_replaced) {
            older_versions.entry(study).or_default().push(made_by);
        }
    }

    for (study, versions) in older_versions {
        let under_way = store.newest_job(study, JobKind::Align, false).await?;
        let last = store.newest_job(study, JobKind::Align, true).await?;
        let recent = now_ms - RETRY_AFTER_MS;
        let must_wait = |job: &Job| match job.state {
            JobState::Failed => job.ended_at > Some(recent.max(started_ms)),
            JobState::Cancelled => job.ended_at > Some(recent),
            _ => false,
        };
        if under_way.is_some() || last.as_ref().is_some_and(must_wait) {
            continue;
        }

        let input = serde_json::to_value(AlignJob { versions }).expect("plain data");
        let new = NewJob {
            id: JobId(clock::new_id()),
            study: Some(study),
            kind: JobKind::Align,
            input: &input,
            created_by: None,
        };
        store.enqueue_job(&new, now_ms).await?;
    }

    Ok(())
}

/// Computes the edits of the job's versions again, in small transactions: finished batches are kept, and the
/// next job does the rest.
pub(super) async fn run(
    store: Store,
    aligners: Arc<StudyAligners>,
    job: Job,
    progress: Arc<RunningJobProgress>,
) -> JobEnd {
    match align(&store, &aligners, &job, &progress).await {
        Ok(Some(aligned)) => {
            let result = serde_json::to_value(aligned).expect("plain data");
            JobEnd::Finished(JobOutcome::Done(result), Vec::new())
        }
        Ok(None) => JobEnd::Stopped,
        Err(AlignJobError::Store(error)) if error.may_pass() => JobEnd::Unavailable(error),
        Err(error) => {
            tracing::error!(job = %job.id, %error, "an alignment failed");
            let why = "Words could not be aligned; the highlights stay as they are.";
            JobEnd::Finished(JobOutcome::Failed(why.to_owned()), Vec::new())
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum AlignJobError {
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Encoder(#[from] EncoderError),
    #[error("another version of the program queued this alignment")]
    Version(#[from] serde_json::Error),
    #[error("the aligner broke off: {0}")]
    Broken(#[from] tokio::task::JoinError),
    #[error("the study is gone")]
    NoStudy,
}

async fn align(
    store: &Store,
    aligners: &StudyAligners,
    job: &Job,
    progress: &RunningJobProgress,
) -> Result<Option<AlignJobResult>, AlignJobError> {
    let study = job.study.ok_or(AlignJobError::NoStudy)?;
    let AlignJob { versions } = serde_json::from_value(job.input.clone())?;
    let started_ms = clock::now_ms();

    let aligner = match aligners.load_own(store).await?.remove(&study) {
        Some(own) => own,
        None => Some(aligners.server()),
    };
    let Some(aligner) = aligner else {
        // A server that can use the study's own aligner queues a job again, and may be the one that gets it.
        return Ok(Some(AlignJobResult {
            outputs: 0,
            version: String::new(),
            ms: 0,
        }));
    };

    let target = aligner.version;
    let older = |name: &&String| {
        let made_by = name.parse::<EditsVersion>();
        made_by.is_ok_and(|made_by| made_by.is_replaced_by(target))
    };
    let versions: Vec<&String> = versions.iter().filter(older).collect();

    let mut total = 0;
    for made_by in &versions {
        total += store.count_to_align(study, made_by).await?;
    }
    progress.set_total(total);

    let mut outputs = 0;
    for made_by in versions {
        loop {
            let batch = store.outputs_to_align(study, made_by, BATCH_SIZE).await?;
            if batch.is_empty() {
                break;
            }
            if progress.stop_requested() {
                return Ok(None);
            }

            let count = batch.len() as u64;
            let aligner = aligner.clone();
            let edits = tokio::task::spawn_blocking(move || realign(&aligner, &batch)).await??;
            let now = clock::now_ms();
            outputs += store.put_automatic_edits(study, &edits, now).await?;
            progress.add(count);
        }
    }

    let (version, ms) = (target.to_string(), clock::now_ms() - started_ms);
    tracing::info!(outputs, version, ms, "aligned");
    Ok(Some(AlignJobResult {
        outputs,
        version,
        ms,
    }))
}

/// Computes the edits of each output, with their version.
fn realign(
    VersionedAligner { aligner, version }: &VersionedAligner,
    outputs: &[OutputToAlign],
) -> Result<Vec<(OutputId, Vec<domain::edit::Edit>, String)>, EncoderError> {
    let texts: Vec<_> = outputs
        .iter()
        .map(|output| {
            (
                TokenisedText::new(&output.source),
                TokenisedText::new(&output.text),
            )
        })
        .collect();
    let pairs: Vec<_> = texts
        .iter()
        .map(|(source, output)| (source, output))
        .collect();

    let alignments = aligner.align(&pairs, AlignmentStyle::Word)?;

    let aligned = outputs.iter().zip(&texts).zip(&alignments);
    Ok(aligned
        .map(|((to_align, (source, output)), alignment)| {
            let version = version.for_alignment(alignment);
            (
                to_align.output,
                derive_edits(source, output, alignment),
                version.to_string(),
            )
        })
        .collect())
}
