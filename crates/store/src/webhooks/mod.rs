//! Webhooks: addresses of other programs, which get notices of what happens in a study.
//!
//! The outbox (`outbox`) takes a notice in the transaction of the change that it announces. A
//! server claims a delivery that is due by a lease, sends it, and stores the outcome (`delivery`).

mod delivery;
mod outbox;

use std::{collections::BTreeSet, fmt};

use domain::{
    ids::{StudyId, WebhookId},
    names,
};
use sqlx::AnyConnection;

pub(crate) use self::outbox::announce;
pub use self::{
    delivery::{
        ClaimedDelivery, DeliveryId, DeliveryOutcome, DeliveryProblem, DeliveryState,
        MOST_ATTEMPTS, PAUSED_AFTER, WebhookDelivery,
    },
    outbox::{FinishedStatus, WebhookNotice},
};
use crate::{
    Error, Result, Store,
    columns::{self, BindId, TableRow, parse_count},
    lock,
};

/// The largest number of webhooks of a study.
pub const MOST_WEBHOOKS: u32 = 10;

/// The kind of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoticeKind {
    /// A rater handed a source in.
    SourceHandedIn,
    /// The study was closed or archived.
    StudyFinished,
    /// A background job ended.
    JobEnded,
    /// A lead tests the webhook.
    Test,
}

names!(NoticeKind, "kind of notice", UnknownNoticeKind,
    SourceHandedIn => "source-handed-in", StudyFinished => "study-finished", JobEnded => "job-ended",
    Test => "test");

impl NoticeKind {
    /// The kinds that a webhook can be for, in the order in which pages name them.
    pub const CHOICES: [Self; 3] = [Self::SourceHandedIn, Self::StudyFinished, Self::JobEnded];
}

/// The key with which notices are signed. Debug output does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret(pub String);

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret")
    }
}

/// A webhook to store.
#[derive(Debug, Clone, Copy)]
pub struct NewWebhook<'a> {
    /// Its id.
    pub id: WebhookId,
    /// The address, which was checked against the settings of the server.
    pub address: &'a str,
    /// The kinds of notices that it gets.
    pub notices: &'a BTreeSet<NoticeKind>,
    /// The key with which they are signed.
    pub secret: &'a WebhookSecret,
}

/// The pause of a webhook, which gets no notices meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookPause {
    /// When it began, in milliseconds since 1970.
    pub since: i64,
    /// Whether the server paused it after failures; otherwise a lead did.
    pub by_server: bool,
}

/// A webhook, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Its id.
    pub id: WebhookId,
    /// Its address.
    pub address: String,
    /// The kinds of notices that it gets.
    pub notices: BTreeSet<NoticeKind>,
    /// When it was added, in milliseconds since 1970.
    pub created_at: i64,
    /// The number of deliveries that failed for good since the newest one that was taken.
    pub failures: i64,
    /// Its pause; `None` while it gets notices.
    pub pause: Option<WebhookPause>,
}

impl Store {
    /// Adds a webhook to a study.
    ///
    /// # Errors
    /// Refused where the study is archived or gone, or has [`MOST_WEBHOOKS`].
    pub async fn add_webhook(
        &self,
        study: StudyId,
        new: &NewWebhook<'_>,
        now_ms: i64,
    ) -> Result<()> {
        in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;

            let row = sqlx::query("SELECT COUNT(*) AS webhooks FROM webhook WHERE study_id = $1")
                .bind_id(study)
                .fetch_one(&mut *tx)
                .await?;
            if parse_count(&row, "webhooks")? >= MOST_WEBHOOKS {
                return Err(Error::Refused(format!(
                    "There are {MOST_WEBHOOKS} webhooks already: remove one first."
                )));
            }

            sqlx::query(
                "INSERT INTO webhook (id, study_id, address, notices, secret, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6)",
            )
            .bind_id(new.id)
            .bind_id(study)
            .bind(new.address)
            .bind(notices_text(new.notices))
            .bind(&new.secret.0)
            .bind(now_ms)
            .execute(&mut *tx)
            .await?;
        })
    }

    /// Sets the address of a webhook and the kinds of its notices. Returns false if the study has
    /// no such webhook.
    ///
    /// # Errors
    /// Refused where the study is archived or gone.
    pub async fn change_webhook(
        &self,
        study: StudyId,
        webhook: WebhookId,
        address: &str,
        notices: &BTreeSet<NoticeKind>,
    ) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            let change = sqlx::query(
                "UPDATE webhook SET address = $3, notices = $4 WHERE id = $1 AND study_id = $2",
            )
            .bind_id(webhook)
            .bind_id(study)
            .bind(address)
            .bind(notices_text(notices));
            execute(&mut tx, study, change).await?
        })
    }

    /// Pauses a webhook: it gets no notices, and deliveries that wait stay. Returns false if it is
    /// paused, or the study has no such webhook.
    ///
    /// # Errors
    /// Refused where the study is archived or gone.
    pub async fn pause_webhook(
        &self,
        study: StudyId,
        webhook: WebhookId,
        now_ms: i64,
    ) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            let change = sqlx::query(
                "UPDATE webhook SET paused_at = $3, paused_by_server = 0
                 WHERE id = $1 AND study_id = $2 AND paused_at IS NULL",
            )
            .bind_id(webhook)
            .bind_id(study)
            .bind(now_ms);
            execute(&mut tx, study, change).await?
        })
    }

    /// Starts a paused webhook again. Returns false if it is not paused, or the study has no such
    /// webhook.
    ///
    /// # Errors
    /// Refused where the study is archived or gone.
    pub async fn resume_webhook(&self, study: StudyId, webhook: WebhookId) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            let change = sqlx::query(
                "UPDATE webhook SET paused_at = NULL, paused_by_server = 0, failures = 0
                 WHERE id = $1 AND study_id = $2 AND paused_at IS NOT NULL",
            )
            .bind_id(webhook)
            .bind_id(study);
            execute(&mut tx, study, change).await?
        })
    }

    /// Gives a webhook a new secret, with which everything sent from now on is signed. Returns
    /// false if the study has no such webhook.
    ///
    /// # Errors
    /// Refused where the study is archived or gone.
    pub async fn renew_webhook_secret(
        &self,
        study: StudyId,
        webhook: WebhookId,
        secret: &WebhookSecret,
    ) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            let change =
                sqlx::query("UPDATE webhook SET secret = $3 WHERE id = $1 AND study_id = $2")
                    .bind_id(webhook)
                    .bind_id(study)
                    .bind(&secret.0);
            execute(&mut tx, study, change).await?
        })
    }

    /// Removes a webhook with its deliveries. Returns false if the study has no such webhook.
    ///
    /// # Errors
    /// Refused where the study is archived or gone.
    pub async fn remove_webhook(&self, study: StudyId, webhook: WebhookId) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            let change = sqlx::query("DELETE FROM webhook WHERE id = $1 AND study_id = $2")
                .bind_id(webhook)
                .bind_id(study);
            execute(&mut tx, study, change).await?
        })
    }

    /// The webhooks of a study, oldest first. Rows that cannot be read are named and left out.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn webhooks(&self, study: StudyId) -> Result<Vec<Webhook>> {
        let rows = sqlx::query(
            "SELECT id, address, notices, created_at, failures, paused_at, paused_by_server
             FROM webhook WHERE study_id = $1 ORDER BY created_at, id",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;
        self.readable_rows("webhook", study, &rows, read_webhook)
    }
}

/// Executes a change of a webhook, whose study must not be archived. Returns whether there was
/// anything to change.
async fn execute(
    tx: &mut AnyConnection,
    study: StudyId,
    change: crate::bulk::BulkQuery,
) -> Result<bool> {
    lock::lock_unarchived_study(tx, study).await?;
    Ok(change.execute(tx).await?.rows_affected() > 0)
}

fn read_webhook(row: &TableRow<'_>) -> Result<Webhook> {
    let paused_at: Option<i64> = row.get("paused_at")?;
    let by_server = row.flag("paused_by_server")?;
    Ok(Webhook {
        id: row.parse("id")?,
        address: row.get("address")?,
        notices: read_notices(row)?,
        created_at: row.get("created_at")?,
        failures: row.get("failures")?,
        pause: paused_at.map(|since| WebhookPause { since, by_server }),
    })
}

/// The kinds of notices as the column holds them: a JSON list of names.
fn notices_text(notices: &BTreeSet<NoticeKind>) -> String {
    let names: Vec<_> = notices.iter().map(|kind| kind.name()).collect();
    columns::to_json(&names)
}

fn read_notices(row: &TableRow<'_>) -> Result<BTreeSet<NoticeKind>> {
    let names: Vec<String> = row.json("notices")?;
    let parse = |name: &String| columns::parse_text("webhook", row.id(), "notices", name);
    names.iter().map(parse).collect()
}
