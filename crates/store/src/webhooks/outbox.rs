//! The outbox of notices, filled in the transactions of the changes that they announce.

use domain::{
    ids::{AssignmentId, JobId, SourceId, StudyId, WebhookId},
    names,
};
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;

use super::{NoticeKind, read_notices};
use crate::{
    Error, Result, Store,
    columns::{self, BindId, TableRow},
    lock,
};

/// The largest number of test notices of a webhook within [`TESTS_WINDOW_MS`]: each is a request to
/// another server.
const MOST_TESTS: i64 = 20;

/// The window in which test notices are counted, in milliseconds.
const TESTS_WINDOW_MS: i64 = 10 * 60 * 1000;

/// The way in which a study was finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FinishedStatus {
    /// It was closed: nothing in it is given out any longer.
    Closed,
    /// It was archived: nothing in it changes any longer.
    Archived,
}

names!(FinishedStatus, "end of a study", UnknownFinishedStatus, Closed => "closed", Archived => "archived");

/// A message about something that happened in a study, in ids and kinds: no texts, no names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum WebhookNotice {
    /// A rater handed a source in, for the first time or again.
    SourceHandedIn {
        /// The source.
        source: SourceId,
        /// The rater's assignment.
        assignment: AssignmentId,
    },
    /// The study was closed or archived.
    StudyFinished {
        /// The way in which it was finished.
        status: FinishedStatus,
    },
    /// A background job ended.
    JobEnded {
        /// The job.
        job: JobId,
        /// The name of its kind.
        job_kind: String,
        /// The name of the state in which it ended.
        status: String,
    },
    /// A lead tests the webhook.
    Test,
}

impl WebhookNotice {
    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> NoticeKind {
        match self {
            Self::SourceHandedIn { .. } => NoticeKind::SourceHandedIn,
            Self::StudyFinished { .. } => NoticeKind::StudyFinished,
            Self::JobEnded { .. } => NoticeKind::JobEnded,
            Self::Test => NoticeKind::Test,
        }
    }
}

/// Puts a notice into the outbox, once for each webhook of the study that gets its kind, in the
/// transaction of the change that it announces.
pub(crate) async fn announce(
    tx: &mut AnyConnection,
    study: StudyId,
    notice: &WebhookNotice,
    now_ms: i64,
) -> Result<()> {
    let rows = sqlx::query(
        "SELECT id, notices FROM webhook WHERE study_id = $1 AND paused_at IS NULL ORDER BY id",
    )
    .bind_id(study)
    .fetch_all(&mut *tx)
    .await?;

    for row in &rows {
        let row = TableRow::new("webhook", row)?;
        if read_notices(&row)?.contains(&notice.kind()) {
            let webhook = row.parse("id")?;
            insert_delivery(tx, study, webhook, notice, now_ms).await?;
        }
    }
    Ok(())
}

/// Stores a delivery under the webhook's next number. `None` if the webhook no longer exists, or is
/// paused and the notice is not a test.
async fn insert_delivery(
    tx: &mut AnyConnection,
    study: StudyId,
    webhook: WebhookId,
    notice: &WebhookNotice,
    now_ms: i64,
) -> Result<Option<i64>> {
    let kind = notice.kind();
    let number: Option<i64> = sqlx::query_scalar(
        "UPDATE webhook SET deliveries = deliveries + 1
         WHERE id = $1 AND study_id = $2 AND (paused_at IS NULL OR $3 = 'test')
         RETURNING deliveries",
    )
    .bind_id(webhook)
    .bind_id(study)
    .bind(kind.name())
    .fetch_optional(&mut *tx)
    .await?;
    let Some(number) = number else {
        return Ok(None);
    };

    sqlx::query(
        "INSERT INTO webhook_delivery (webhook_id, number, kind, notice, state, created_at, next_try_at)
         VALUES ($1, $2, $3, $4, 'waiting', $5, $5)",
    )
    .bind_id(webhook)
    .bind(number)
    .bind(kind.name())
    .bind(columns::to_json(notice))
    .bind(now_ms)
    .execute(tx)
    .await?;
    Ok(Some(number))
}

/// Refuses another test of a webhook that had too many since `since_ms`.
async fn check_tests(tx: &mut AnyConnection, webhook: WebhookId, since_ms: i64) -> Result<()> {
    let tests: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) AS tests FROM webhook_delivery
         WHERE webhook_id = $1 AND kind = 'test' AND created_at > $2",
    )
    .bind_id(webhook)
    .bind(since_ms)
    .fetch_one(tx)
    .await?;
    match tests < MOST_TESTS {
        true => Ok(()),
        false => Err(Error::TooMany(format!(
            "{MOST_TESTS} test notices were sent to this webhook within ten minutes: wait a little before the next one."
        ))),
    }
}

impl Store {
    /// Puts a test notice for one webhook into the outbox, even if it is paused, and returns the
    /// number of the delivery. `None` if the study has no such webhook.
    ///
    /// # Errors
    /// Refused where the study is archived or gone; [`Error::TooMany`] where the webhook had many tests lately.
    pub async fn queue_test_notice(
        &self,
        study: StudyId,
        webhook: WebhookId,
        now_ms: i64,
    ) -> Result<Option<i64>> {
        in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;
            check_tests(&mut tx, webhook, now_ms - TESTS_WINDOW_MS).await?;
            insert_delivery(&mut tx, study, webhook, &WebhookNotice::Test, now_ms).await?
        })
    }

    /// Queues a finished delivery again, with all of its tries. Returns false if it waits already,
    /// or the study has no such delivery.
    ///
    /// # Errors
    /// Refused where the study is archived or gone.
    pub async fn queue_delivery_again(
        &self,
        study: StudyId,
        webhook: WebhookId,
        number: i64,
        now_ms: i64,
    ) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;

            sqlx::query(
                "UPDATE webhook_delivery
                 SET state = 'waiting', attempts = 0, status = NULL, problem = NULL, next_try_at = $4
                 WHERE webhook_id = $1 AND number = $2 AND state <> 'waiting'
                   AND webhook_id IN (SELECT id FROM webhook WHERE study_id = $3)",
            )
            .bind_id(webhook)
            .bind(number)
            .bind_id(study)
            .bind(now_ms)
            .execute(&mut *tx)
            .await?
            .rows_affected()
                == 1
        })
    }
}
