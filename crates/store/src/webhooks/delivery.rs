//! Claiming deliveries that are due, and storing their outcomes.

use std::fmt;

use domain::{
    ids::{StudyId, WebhookId},
    names,
};

use super::{NoticeKind, WebhookNotice, WebhookSecret};
use crate::{
    Result, Store,
    columns::{BindId, TableRow},
};

/// The largest number of tries of a delivery.
pub const MOST_ATTEMPTS: i64 = 8;

/// The number of consecutive deliveries that failed for good after which a webhook is paused.
pub const PAUSED_AFTER: i64 = 5;

/// How long deliveries are kept, in milliseconds: thirty days.
const KEPT_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// It waits for its next try, or is being sent.
    Waiting,
    /// The receiver took it.
    Delivered,
    /// The receiver did not take it, and it is not tried again.
    Failed,
}

names!(DeliveryState, "state of a delivery", UnknownDeliveryState,
    Waiting => "waiting", Delivered => "delivered", Failed => "failed");

/// The reason why a receiver did not take a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryProblem {
    /// The settings of the server do not allow the address.
    NotAllowed,
    /// The name of the host has no address.
    NoAddress,
    /// The name of the host leads into a private network or to the server itself.
    PrivateAddress,
    /// No connection could be made.
    Unreachable,
    /// The receiver's certificate was not accepted, or no encrypted connection came about.
    Tls,
    /// The receiver did not answer in time.
    TimedOut,
    /// The connection broke off, or the reply was not a valid answer.
    BrokenOff,
    /// The receiver answered with a redirect.
    Redirected,
    /// The receiver answered with a status that does not mean success.
    Refused,
    /// The server stopped while it sent the last try.
    Interrupted,
}

names!(DeliveryProblem, "problem of a delivery", UnknownDeliveryProblem,
    NotAllowed => "not-allowed", NoAddress => "no-address", PrivateAddress => "private-address",
    Unreachable => "unreachable", Tls => "tls", TimedOut => "timed-out", BrokenOff => "broken-off",
    Redirected => "redirected", Refused => "refused", Interrupted => "interrupted");

/// The outcome of a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The receiver took the notice.
    Delivered {
        /// The status of its answer.
        status: u16,
    },
    /// The receiver did not take it.
    Failed {
        /// The reason.
        problem: DeliveryProblem,
        /// The status of its answer, if there was one.
        status: Option<u16>,
        /// When to try again, in milliseconds since 1970; `None` for never.
        retry_at: Option<i64>,
    },
}

/// A delivery that a worker holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedDelivery {
    /// The webhook.
    pub webhook: WebhookId,
    /// The number within the webhook.
    pub number: i64,
    /// The study.
    pub study: StudyId,
    /// The message.
    pub notice: WebhookNotice,
    /// When it happened, in milliseconds since 1970.
    pub created_at: i64,
    /// The number of this try, from 1.
    pub attempt: i64,
    /// The address to send it to.
    pub address: String,
    /// The key to sign it with.
    pub secret: WebhookSecret,
}

impl ClaimedDelivery {
    /// The id of the notice, the same at every try.
    #[must_use]
    pub fn id(&self) -> DeliveryId {
        DeliveryId(self.webhook, self.number)
    }
}

/// The id of a notice to one webhook, as receivers see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryId(WebhookId, i64);

impl fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.0, self.1)
    }
}

/// A delivery, as pages list it. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookDelivery {
    /// The webhook.
    pub webhook: WebhookId,
    /// The number within the webhook.
    pub number: i64,
    /// Its kind.
    pub kind: NoticeKind,
    /// Its state.
    pub state: DeliveryState,
    /// When the announced change happened.
    pub created_at: i64,
    /// The number of tries begun.
    pub attempts: i64,
    /// When the newest try was begun.
    pub tried_at: Option<i64>,
    /// The status of the newest answer.
    pub status: Option<i64>,
    /// Why the newest try failed.
    pub problem: Option<DeliveryProblem>,
    /// When it is due; `None` once it is over.
    pub next_try_at: Option<i64>,
}

impl Store {
    /// Claims a delivery that is due for `worker` (a name that no other worker has), until
    /// `lease_ms` from now: the oldest one of a webhook that is not in `busy`. A delivery claimed
    /// by a worker that died is due again when its lease ends. `None` if nothing is due.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn claim_delivery(
        &self,
        worker: &str,
        busy: &[WebhookId],
        now_ms: i64,
        lease_ms: i64,
    ) -> Result<Option<ClaimedDelivery>> {
        let due = sqlx::query(
            "SELECT d.webhook_id AS id, MIN(d.number) AS number
             FROM webhook_delivery d
             JOIN webhook w ON w.id = d.webhook_id
             JOIN study s ON s.id = w.study_id
             WHERE d.state = 'waiting' AND d.next_try_at <= $1 AND d.attempts < $2
               AND (d.leased_until IS NULL OR d.leased_until < $1)
               AND (w.paused_at IS NULL OR d.kind = 'test') AND s.erased_at IS NULL
             GROUP BY d.webhook_id ORDER BY MIN(d.next_try_at), d.webhook_id",
        )
        .bind(now_ms)
        .bind(MOST_ATTEMPTS)
        .fetch_all(self.reader())
        .await?;

        for row in &due {
            let row = TableRow::new("webhook_delivery", row)?;
            let webhook: WebhookId = row.parse("id")?;
            if busy.contains(&webhook) {
                continue;
            }

            let number: i64 = row.get("number")?;
            let claimed = in_transaction!(self, |tx| {
                // Several workers may have seen it due; only one of them changes the row.
                sqlx::query(
                    "UPDATE webhook_delivery
                     SET worker = $3, leased_until = $5, attempts = attempts + 1, tried_at = $4
                     WHERE webhook_id = $1 AND number = $2 AND state = 'waiting' AND next_try_at <= $4
                       AND (leased_until IS NULL OR leased_until < $4)",
                )
                .bind_id(webhook)
                .bind(number)
                .bind(worker)
                .bind(now_ms)
                .bind(now_ms.saturating_add(lease_ms))
                .execute(&mut *tx)
                .await?
                .rows_affected()
                    == 1
            })?;
            if claimed {
                return self.claimed_delivery(webhook, number).await;
            }
        }
        Ok(None)
    }

    async fn claimed_delivery(
        &self,
        webhook: WebhookId,
        number: i64,
    ) -> Result<Option<ClaimedDelivery>> {
        let row = sqlx::query(
            "SELECT w.id AS id, w.study_id AS study_id, w.address AS address, w.secret AS secret,
                    d.notice AS notice, d.created_at AS created_at, d.attempts AS attempts
             FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook_id
             WHERE d.webhook_id = $1 AND d.number = $2",
        )
        .bind_id(webhook)
        .bind(number)
        .fetch_optional(self.reader())
        .await?;

        let Some(row) = &row else { return Ok(None) };
        let row = TableRow::new("webhook_delivery", row)?;
        Ok(Some(ClaimedDelivery {
            webhook,
            number,
            study: row.parse("study_id")?,
            notice: row.json("notice")?,
            created_at: row.get("created_at")?,
            attempt: row.get("attempts")?,
            address: row.get("address")?,
            secret: WebhookSecret(row.get("secret")?),
        }))
    }

    /// Stores the outcome of a try. Pauses a webhook whose newest [`PAUSED_AFTER`] deliveries all
    /// failed for good, and then stores the entry of the log of changes that this handle carries.
    /// Test notices do not count. Returns whether `worker` still held the delivery, and whether the
    /// webhook was paused.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn finish_delivery(
        &self,
        claimed: &ClaimedDelivery,
        worker: &str,
        outcome: DeliveryOutcome,
        now_ms: i64,
    ) -> Result<(bool, bool)> {
        let (state, status, problem, retry_at) = match outcome {
            DeliveryOutcome::Delivered { status } => {
                (DeliveryState::Delivered, Some(status), None, None)
            }
            DeliveryOutcome::Failed {
                problem,
                status,
                retry_at,
            } => {
                let retry_at = retry_at.filter(|_| claimed.attempt < MOST_ATTEMPTS);
                let state = match retry_at {
                    Some(_) => DeliveryState::Waiting,
                    None => DeliveryState::Failed,
                };
                (state, status, Some(problem), retry_at)
            }
        };

        change_in_transaction!(self, |tx| {
            let held = sqlx::query(
                "UPDATE webhook_delivery
                 SET state = $5, status = $6, problem = $7, next_try_at = $8, worker = NULL, leased_until = NULL
                 WHERE webhook_id = $1 AND number = $2 AND worker = $3 AND attempts = $4 AND state = 'waiting'",
            )
            .bind_id(claimed.webhook)
            .bind(claimed.number)
            .bind(worker)
            .bind(claimed.attempt)
            .bind(state.name())
            .bind(status.map(i64::from))
            .bind(problem.map(DeliveryProblem::name))
            .bind(retry_at)
            .execute(&mut *tx)
            .await?
            .rows_affected()
                == 1;

            let counts =
                held && claimed.notice != WebhookNotice::Test && state != DeliveryState::Waiting;
            let mut was_paused = false;
            if counts {
                let failed = i64::from(state == DeliveryState::Failed);
                sqlx::query("UPDATE webhook SET failures = (failures + 1) * $2 WHERE id = $1")
                    .bind_id(claimed.webhook)
                    .bind(failed)
                    .execute(&mut *tx)
                    .await?;

                was_paused = sqlx::query(
                    "UPDATE webhook SET paused_at = $2, paused_by_server = 1
                     WHERE id = $1 AND failures >= $3 AND paused_at IS NULL",
                )
                .bind_id(claimed.webhook)
                .bind(now_ms)
                .bind(PAUSED_AFTER)
                .execute(&mut *tx)
                .await?
                .rows_affected()
                    == 1;
            }

            (held, was_paused)
        })
    }

    /// The newest deliveries of a study's webhooks, newest first. Rows that cannot be read are
    /// named and left out.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn webhook_deliveries(
        &self,
        study: StudyId,
        limit: u32,
    ) -> Result<Vec<WebhookDelivery>> {
        let rows = sqlx::query(
            "SELECT d.webhook_id AS id, d.number, d.kind, d.state, d.created_at, d.attempts, d.tried_at, d.status,
                    d.problem, d.next_try_at
             FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook_id
             WHERE w.study_id = $1 ORDER BY d.created_at DESC, d.webhook_id, d.number DESC LIMIT $2",
        )
        .bind_id(study)
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;
        self.readable_rows("webhook_delivery", study, &rows, read_delivery)
    }

    /// Deletes deliveries that are too old, and fails those during whose last try a server stopped.
    /// Returns the number deleted.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep_deliveries(&self, now_ms: i64) -> Result<u64> {
        in_transaction!(self, |tx| {
            sqlx::query(
                "UPDATE webhook_delivery
                 SET state = 'failed', problem = $3, next_try_at = NULL, worker = NULL, leased_until = NULL
                 WHERE state = 'waiting' AND attempts >= $2 AND leased_until < $1",
            )
            .bind(now_ms)
            .bind(MOST_ATTEMPTS)
            .bind(DeliveryProblem::Interrupted.name())
            .execute(&mut *tx)
            .await?;

            sqlx::query("DELETE FROM webhook_delivery WHERE created_at < $1")
                .bind(now_ms - KEPT_MS)
                .execute(&mut *tx)
                .await?
                .rows_affected()
        })
    }
}

fn read_delivery(row: &TableRow<'_>) -> Result<WebhookDelivery> {
    Ok(WebhookDelivery {
        webhook: row.parse("id")?,
        number: row.get("number")?,
        kind: row.parse("kind")?,
        state: row.parse("state")?,
        created_at: row.get("created_at")?,
        attempts: row.get("attempts")?,
        tried_at: row.get("tried_at")?,
        status: row.get("status")?,
        problem: row.parse_optional("problem")?,
        next_try_at: row.get("next_try_at")?,
    })
}
