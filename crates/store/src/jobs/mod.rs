//! Background work: queued by requests, done by the process that claims it first.
//!
//! A worker holds a job by a lease that it renews while it works. When the lease expires, because
//! its process died, the job is queued again. So a job may run more than once, and only the worker
//! that holds it can end it. If its database could not be used, a job is put back and waits a while
//! before it may be claimed again.

mod worker;

use domain::{
    ids::{JobId, PersonId, StudyId},
    names,
};
use serde_json::Value;
use sqlx::{AnyConnection, Row, any::AnyRow};

pub use self::worker::{JobLeaseState, JobOutcome, JobReport};
use crate::{
    Error, EventKind, Result, Store,
    columns::{BindId, TableRow, read_row},
    event,
    webhooks::{self, WebhookNotice},
};

/// The largest number of a study's jobs that wait because people asked for them.
const MOST_QUEUED: i64 = 20;

/// The kind of work that a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobKind {
    /// Imports files.
    Import,
    /// Makes automatic edits again with a better aligner.
    Align,
    /// Scores outputs by the study's metrics.
    Score,
    /// Trains a metric on the study's ratings.
    Train,
    /// Trains an aligner on the study's checked edits.
    TrainAligner,
}

names!(JobKind, "kind of job", UnknownJobKind,
    Import => "import", Align => "align", Score => "score", Train => "train",
    TrainAligner => "train-aligner");

impl JobKind {
    /// Whether the work of a job of this kind is kept when its process dies, so that the next attempt continues there.
    #[must_use]
    pub const fn keeps_progress(self) -> bool {
        match self {
            Self::Align | Self::Score => true,
            Self::Import | Self::Train | Self::TrainAligner => false,
        }
    }
}

/// The state of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    /// It waits for a worker.
    Queued,
    /// A worker holds its lease.
    Running,
    /// It ended with a result.
    Done,
    /// It ended without a result.
    Failed,
    /// It was cancelled.
    Cancelled,
}

names!(JobState, "state of a job", UnknownJobState,
    Queued => "queued", Running => "running", Done => "done", Failed => "failed",
    Cancelled => "cancelled");

impl JobState {
    /// Whether the job has ended.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

/// A piece of background work. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// The study that it concerns, if any.
    pub study: Option<StudyId>,
    /// The kind of work.
    pub kind: JobKind,
    /// Its state.
    pub state: JobState,
    /// Its input, as its kind defines it.
    pub input: Value,
    /// The amount done, of `total`.
    pub done: i64,
    /// The amount to do; 0 while it is unknown.
    pub total: i64,
    /// Its result, once it is done.
    pub result: Option<Value>,
    /// Why it failed, for people.
    pub failure: Option<String>,
    /// The person who asked for it.
    pub created_by: Option<PersonId>,
    /// When it was queued.
    pub created_at: i64,
    /// When it ended.
    pub ended_at: Option<i64>,
    /// The number of times that a worker has begun it.
    pub attempts: i64,
    /// The number of times that it was put back because the database could not be used; the last
    /// line of `log` says so.
    pub retries: i64,
    /// Whether it was cancelled; its worker may not have noticed yet.
    pub cancelled: bool,
    /// Its worker's log, one line per step.
    pub log: String,
}

/// A job to queue.
#[derive(Debug, Clone)]
pub struct NewJob<'a> {
    /// Its id.
    pub id: JobId,
    /// The study that it concerns, if any.
    pub study: Option<StudyId>,
    /// The kind of work.
    pub kind: JobKind,
    /// Its input, as its kind defines it.
    pub input: &'a Value,
    /// The person who asks for it.
    pub created_by: Option<PersonId>,
}

impl Store {
    /// Queues a job.
    ///
    /// # Errors
    /// [`Error::TooMany`] where a person asks for it and many of the study's jobs wait.
    pub async fn enqueue_job(&self, new: &NewJob<'_>, now_ms: i64) -> Result<()> {
        in_transaction!(self, |tx| {
            if let (Some(study), Some(_)) = (new.study, new.created_by) {
                check_queued_jobs(&mut tx, study).await?;
            }

            sqlx::query(
                "INSERT INTO job (id, study_id, kind, state, input, created_by, created_at)
                 VALUES ($1, $2, $3, 'queued', $4, $5, $6)",
            )
            .bind_id(new.id)
            .bind_id(new.study)
            .bind(new.kind.name())
            .bind(new.input.to_string())
            .bind_id(new.created_by)
            .bind(now_ms)
            .execute(&mut *tx)
            .await?;

            record(&mut tx, new.study, new.id, now_ms).await?;
        })
    }

    /// Cancels a job: a waiting one ends at once, a running one when its worker next reports.
    /// Returns false if it is over, was cancelled before or is unknown.
    ///
    /// Only an end is an event: a worker that holds the study, as an import does, must not
    /// keep people from cancelling it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn cancel_job(&self, id: JobId, now_ms: i64) -> Result<bool> {
        in_transaction!(self, |tx| {
            let row = sqlx::query(
                "UPDATE job SET cancelled = 1,
                     ended_at = CASE WHEN state = 'queued' THEN $2 ELSE ended_at END,
                     state = CASE WHEN state = 'queued' THEN 'cancelled' ELSE state END
                 WHERE id = $1 AND state IN ('queued', 'running') AND cancelled = 0
                 RETURNING study_id, kind, state",
            )
            .bind_id(id)
            .bind(now_ms)
            .fetch_optional(&mut *tx)
            .await?;

            let over = match &row {
                Some(row) => row.try_get::<&str, _>("state")? == JobState::Cancelled.name(),
                None => false,
            };

            record_of(&mut tx, row.as_ref().filter(|_| over), id, now_ms).await?;
            row.is_some()
        })
    }

    /// The job.
    ///
    /// # Errors
    /// When the database fails or the row does not read.
    pub async fn job(&self, id: JobId) -> Result<Option<Job>> {
        let row = sqlx::query(
            "SELECT id, study_id, kind, state, input, done, total, result, failure, created_by,
                    created_at, ended_at, attempts, retries, cancelled, log
             FROM job WHERE id = $1",
        )
        .bind_id(id)
        .fetch_optional(self.reader())
        .await?;
        read_row("job", row, read_job)
    }

    /// The study's jobs, newest first, at most `limit`. Rows that cannot be read are named and left
    /// out.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn jobs(&self, study: StudyId, limit: u32) -> Result<Vec<Job>> {
        let rows = sqlx::query(
            "SELECT id, study_id, kind, state, input, done, total, result, failure, created_by,
                    created_at, ended_at, attempts, retries, cancelled, log
             FROM job WHERE study_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2",
        )
        .bind_id(study)
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;
        self.readable_rows("job", study, &rows, read_job)
    }

    /// The study's newest job of a kind that is over (or is not), however many jobs of other kinds
    /// came after it.
    ///
    /// # Errors
    /// When the database fails or the row does not read.
    pub async fn newest_job(
        &self,
        study: StudyId,
        kind: JobKind,
        is_over: bool,
    ) -> Result<Option<Job>> {
        let row = sqlx::query(
            "SELECT id, study_id, kind, state, input, done, total, result, failure, created_by,
                    created_at, ended_at, attempts, retries, cancelled, log
             FROM job
             WHERE study_id = $1 AND kind = $2
               AND CASE WHEN state IN ('queued', 'running') THEN 0 ELSE 1 END = $3
             ORDER BY created_at DESC, id DESC LIMIT 1",
        )
        .bind_id(study)
        .bind(kind.name())
        .bind(i64::from(is_over))
        .fetch_optional(self.reader())
        .await?;
        read_row("job", row, read_job)
    }
}

/// Refuses another job if many of the study's jobs wait.
async fn check_queued_jobs(tx: &mut AnyConnection, study: StudyId) -> Result<()> {
    let jobs: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) AS jobs FROM job
         WHERE study_id = $1 AND state = 'queued' AND created_by IS NOT NULL",
    )
    .bind_id(study)
    .fetch_one(tx)
    .await?;
    match jobs < MOST_QUEUED {
        true => Ok(()),
        false => Err(Error::TooMany(format!(
            "{MOST_QUEUED} imports and other jobs of this study wait already: try again when some of them have ended."
        ))),
    }
}

/// Records an event of the job's study, if it has one.
async fn record(
    tx: &mut AnyConnection,
    study: Option<StudyId>,
    id: JobId,
    now_ms: i64,
) -> Result<()> {
    if let Some(study) = study {
        event::record(tx, study, EventKind::Job, id, now_ms).await?;
    }
    Ok(())
}

/// Records an event if `changed`, a row with `study_id`, `kind` and `state`, is given, and returns
/// whether it is. Announces a job that is over to the study's webhooks.
async fn record_of(
    tx: &mut AnyConnection,
    changed: Option<&AnyRow>,
    id: JobId,
    now_ms: i64,
) -> Result<bool> {
    if let Some(row) = changed {
        let row = TableRow::named("job", row, id);
        let study = row.parse_optional("study_id")?;
        record(tx, study, id, now_ms).await?;

        let state: JobState = row.parse("state")?;
        if let Some(study) = study.filter(|_| state.is_over()) {
            let notice = WebhookNotice::JobEnded {
                job: id,
                job_kind: row.get("kind")?,
                status: state.name().to_owned(),
            };
            webhooks::announce(tx, study, &notice, now_ms).await?;
        }
    }
    Ok(changed.is_some())
}

fn read_job(row: &TableRow<'_>) -> Result<Job> {
    Ok(Job {
        id: row.parse("id")?,
        study: row.parse_optional("study_id")?,
        kind: row.parse("kind")?,
        state: row.parse("state")?,
        input: row.json("input")?,
        done: row.get("done")?,
        total: row.get("total")?,
        result: row.json_optional("result")?,
        failure: row.get("failure")?,
        created_by: row.parse_optional("created_by")?,
        created_at: row.get("created_at")?,
        ended_at: row.get("ended_at")?,
        attempts: row.get("attempts")?,
        retries: row.get("retries")?,
        cancelled: row.flag("cancelled")?,
        log: row.get("log")?,
    })
}
