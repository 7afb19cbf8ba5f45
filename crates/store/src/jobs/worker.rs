//! Claiming, reporting and ending jobs.

use domain::ids::JobId;
use serde_json::Value;
use sqlx::{Row, any::AnyRow};

use super::{Job, JobKind, JobState, record_of};
use crate::{
    Result, Store,
    columns::{self, BindId},
};

/// The state of a worker's lease on its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobLeaseState {
    /// The worker holds it: continue.
    Held,
    /// The worker holds it, but it was cancelled: stop, and end it as [`JobOutcome::Cancelled`].
    Cancelled,
    /// Another worker may hold it: stop, and change nothing.
    Lost,
}

/// The progress of a worker.
#[derive(Debug, Clone, Copy, Default)]
pub struct JobReport<'a> {
    /// The amount done, of `total`.
    pub done: i64,
    /// The amount to do; 0 while it is unknown.
    pub total: i64,
    /// Its log so far, one line per step; may be empty.
    pub log: &'a str,
}

/// The end of a job.
#[derive(Debug, Clone, PartialEq)]
pub enum JobOutcome {
    /// With a result.
    Done(Value),
    /// Without a result; the reason, for people.
    Failed(String),
    /// It was cancelled.
    Cancelled,
}

/// How often a job is begun at most without progress: a job that takes its process down must not
/// take down every later one.
const MAX_ATTEMPTS: i64 = 3;

/// The failure of a job that was begun so often.
const BROKEN_OFF: &str = "The program broke off each time it tried this. Try it with less at once, or look into the \
     server's log.";

/// The failure of such an import if its rows are in the study.
const IMPORTED: &str = "Everything was imported, but the program broke off before it could say how much: look at the \
     list of imports.";

impl Store {
    /// Claims the job of one of `kinds` that has waited longest, for `worker` (a name that no other
    /// worker has), until `lease_ms` from now. `None` if no job waits. Jobs of unknown kinds are
    /// left to a version of the program that knows them.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn claim_job(
        &self,
        kinds: &[JobKind],
        worker: &str,
        now_ms: i64,
        lease_ms: i64,
    ) -> Result<Option<Job>> {
        let waiting = sqlx::query(
            "SELECT id, kind FROM job
             WHERE state = 'queued' AND (retry_at IS NULL OR retry_at <= $1)
             ORDER BY created_at, id",
        )
        .bind(now_ms)
        .fetch_all(self.reader())
        .await?;

        for row in waiting {
            let id: &str = row.try_get("id")?;
            let kind: &str = row.try_get("kind")?;
            if !kinds.iter().any(|job_kind| job_kind.name() == kind) {
                continue;
            }

            let claimed = in_transaction!(self, |tx| {
                // Several workers may have seen the job wait; only one of them changes the row.
                sqlx::query(
                    "UPDATE job SET state = 'running', worker = $2, leased_until = $3,
                                    attempts = attempts + 1, retry_at = NULL
                     WHERE id = $1 AND state = 'queued'",
                )
                .bind(id)
                .bind(worker)
                .bind(now_ms.saturating_add(lease_ms))
                .execute(&mut *tx)
                .await?
                .rows_affected()
                    == 1
            })?;
            if claimed {
                return self.job(columns::parse_text("job", id, "id", id)?).await;
            }
        }
        Ok(None)
    }

    /// Reports the progress and the log of `worker`, and extends its lease until `leased_until_ms`.
    /// Returns whether the worker should go on.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn report_job(
        &self,
        id: JobId,
        worker: &str,
        report: JobReport<'_>,
        leased_until_ms: i64,
    ) -> Result<JobLeaseState> {
        in_transaction!(self, |tx| {
            let row = sqlx::query(
                "UPDATE job SET done = $3, total = $4, log = $5, leased_until = $6
                 WHERE id = $1 AND worker = $2 AND state = 'running' RETURNING cancelled",
            )
            .bind_id(id)
            .bind(worker)
            .bind(report.done)
            .bind(report.total)
            .bind(report.log)
            .bind(leased_until_ms)
            .fetch_optional(&mut *tx)
            .await?;

            match row {
                None => JobLeaseState::Lost,
                Some(row) if row.try_get::<i64, _>("cancelled")? != 0 => JobLeaseState::Cancelled,
                Some(_) => JobLeaseState::Held,
            }
        })
    }

    /// Ends the job. Does nothing and returns false if `worker` no longer holds it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end_job(
        &self,
        id: JobId,
        worker: &str,
        ending: &JobOutcome,
        now_ms: i64,
    ) -> Result<bool> {
        let (state, result, failure) = match ending {
            JobOutcome::Done(result) => (JobState::Done, Some(result.to_string()), None),
            JobOutcome::Failed(why) => (JobState::Failed, None, Some(&why[..])),
            JobOutcome::Cancelled => (JobState::Cancelled, None, None),
        };

        in_transaction!(self, |tx| {
            let row = sqlx::query(
                "UPDATE job SET state = $3, result = $4, failure = $5, ended_at = $6,
                                worker = NULL, leased_until = NULL
                 WHERE id = $1 AND worker = $2 AND state = 'running' RETURNING study_id, kind, state",
            )
            .bind_id(id)
            .bind(worker)
            .bind(state.name())
            .bind(result.as_deref())
            .bind(failure)
            .bind(now_ms)
            .fetch_optional(&mut *tx)
            .await?;

            record_of(&mut tx, row.as_ref(), id, now_ms).await?
        })
    }

    /// Gives the job back unfinished, as a process does that shuts down: another may claim it at
    /// once, and the attempt does not count. Returns false if `worker` no longer holds it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn return_job(&self, id: JobId, worker: &str) -> Result<bool> {
        in_transaction!(self, |tx| {
            sqlx::query(
                "UPDATE job SET state = 'queued', worker = NULL, leased_until = NULL,
                                attempts = attempts - 1
                 WHERE id = $1 AND worker = $2 AND state = 'running'",
            )
            .bind_id(id)
            .bind(worker)
            .execute(&mut *tx)
            .await?
            .rows_affected()
                == 1
        })
    }

    /// Puts the job back because the database could not be used. It may be claimed again from
    /// `retry_at_ms` on, which `note` tells people as its log, and the attempt does not count. A
    /// cancelled job ends. Returns false if `worker` no longer holds it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn postpone_job(
        &self,
        id: JobId,
        worker: &str,
        note: &str,
        now_ms: i64,
        retry_at_ms: i64,
    ) -> Result<bool> {
        in_transaction!(self, |tx| {
            let row = sqlx::query(
                "UPDATE job SET worker = NULL, leased_until = NULL, done = 0, log = $3,
                     attempts = attempts - 1, retries = retries + 1,
                     state = CASE WHEN cancelled = 1 THEN 'cancelled' ELSE 'queued' END,
                     ended_at = CASE WHEN cancelled = 1 THEN CAST($4 AS BIGINT) END,
                     retry_at = CASE WHEN cancelled = 0 THEN CAST($5 AS BIGINT) END
                 WHERE id = $1 AND worker = $2 AND state = 'running' RETURNING study_id, kind, state",
            )
            .bind_id(id)
            .bind(worker)
            .bind(note)
            .bind(now_ms)
            .bind(retry_at_ms)
            .fetch_optional(&mut *tx)
            .await?;

            record_of(&mut tx, row.as_ref(), id, now_ms).await?
        })
    }

    /// Queues jobs again whose workers have not reported in time, except that jobs that were
    /// cancelled or have been begun three times end. The attempts of a job that keeps its progress
    /// count from its last progress. An import whose rows were in the study by then is begun once
    /// more, to report them. Returns the number of jobs.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep_jobs(&self, now_ms: i64) -> Result<u64> {
        self.sweep_expired_before(None, now_ms, now_ms).await
    }

    /// Like [`Self::sweep_jobs`], for all running jobs of these kinds, however long their leases
    /// last. Only for a server that knows that no other one is running on this database.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn release_jobs(&self, kinds: &[JobKind], now_ms: i64) -> Result<u64> {
        self.sweep_expired_before(Some(kinds), i64::MAX, now_ms)
            .await
    }

    /// Sweeps the jobs of these kinds, or of any, whose lease ends before `expired_before_ms`.
    async fn sweep_expired_before(
        &self,
        kinds: Option<&[JobKind]>,
        expired_before_ms: i64,
        now_ms: i64,
    ) -> Result<u64> {
        let expired = sqlx::query(
            "SELECT id, kind FROM job WHERE state = 'running' AND leased_until < $1 ORDER BY id",
        )
        .bind(expired_before_ms)
        .fetch_all(self.reader())
        .await?;

        let mut swept = 0;
        for row in &expired {
            let kind: &str = row.try_get("kind")?;
            let is_chosen = |kinds: &[JobKind]| kinds.iter().any(|chosen| chosen.name() == kind);
            if kinds.is_none_or(is_chosen) {
                swept += u64::from(self.sweep_job(row, expired_before_ms, now_ms).await?);
            }
        }
        Ok(swept)
    }

    async fn sweep_job(&self, row: &AnyRow, expired_before_ms: i64, now_ms: i64) -> Result<bool> {
        let id: &str = row.try_get("id")?;
        let job: JobId = columns::parse_text("job", id, "id", id)?;
        let kind: &str = row.try_get("kind")?;
        let keeps_progress = kind.parse().is_ok_and(JobKind::keeps_progress);

        in_transaction!(self, |tx| {
            if keeps_progress {
                sqlx::query(
                    "UPDATE job SET attempts = 0
                     WHERE id = $1 AND state = 'running' AND leased_until < $2 AND done > 0",
                )
                .bind(id)
                .bind(expired_before_ms)
                .execute(&mut *tx)
                .await?;
            }

            let imported =
                sqlx::query("SELECT 1 FROM import WHERE job_id = $1 AND state = 'done' LIMIT 1")
                    .bind(id)
                    .fetch_optional(&mut *tx)
                    .await?
                    .is_some();

            let row = sqlx::query(
                "UPDATE job SET worker = NULL, leased_until = NULL, done = 0,
                     state = CASE WHEN cancelled = 1 THEN 'cancelled'
                                  WHEN attempts >= $3 THEN 'failed' ELSE 'queued' END,
                     failure = CASE WHEN cancelled = 0 AND attempts >= $3 THEN $4 END,
                     ended_at = CASE WHEN cancelled = 1 OR attempts >= $3 THEN CAST($2 AS BIGINT) END
                 WHERE id = $1 AND state = 'running' AND leased_until < $5
                 RETURNING study_id, kind, state",
            )
            .bind(id)
            .bind(now_ms)
            .bind(MAX_ATTEMPTS + i64::from(imported))
            .bind(if imported { IMPORTED } else { BROKEN_OFF })
            .bind(expired_before_ms)
            .fetch_optional(&mut *tx)
            .await?;

            record_of(&mut tx, row.as_ref(), job, now_ms).await?
        })
    }
}
