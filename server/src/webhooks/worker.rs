//! The worker that sends the notices of the outbox.
//!
//! Each try is claimed by a lease that is longer than a try can take, so that no two servers send the same
//! notice at once. If a server dies in between, the lease runs out and the notice is sent again: receivers
//! may get a notice twice, but do not miss one because they answered too late.

use std::{collections::HashMap, sync::Arc, time::Duration};

use domain::ids::WebhookId;
use service::webhooks::{AllowedAddresses, SignedNotice, address_host, retry_pause_ms};
use store::{
    Store,
    audit::{AuditKind, AuditSubject},
    webhooks::{ClaimedDelivery, DeliveryOutcome, DeliveryProblem, WebhookNotice},
};
use tokio::task::{Id, JoinSet};
use tokio_util::sync::CancellationToken;

use super::WebhookClient;
use crate::{audit::server_entry, clock};

/// The most notices sent at the same time; each webhook gets one at a time.
const MOST_AT_ONCE: usize = 8;

/// The timing of a worker.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeliveryTiming {
    /// The interval between checks for due notices.
    pub(super) poll: Duration,
    /// How long no other worker may send a claimed notice, in milliseconds.
    pub(super) lease_ms: i64,
    /// The pause after a try, in milliseconds, from the try's number and random bytes.
    pub(super) pause: fn(i64, [u8; 32]) -> i64,
}

impl Default for DeliveryTiming {
    fn default() -> Self {
        Self {
            poll: Duration::from_secs(1),
            lease_ms: 60_000,
            pause: retry_pause_ms,
        }
    }
}

/// Sends the notices of the outbox.
#[derive(Clone)]
pub(crate) struct WebhookWorker {
    store: Store,
    allowed: AllowedAddresses,
    client: WebhookClient,
    timing: DeliveryTiming,
    /// A name that is unique among workers.
    name: Arc<str>,
}

impl WebhookWorker {
    pub(crate) fn new(store: Store, allowed: AllowedAddresses, client: WebhookClient) -> Self {
        Self::with_timing(store, allowed, client, DeliveryTiming::default())
    }

    pub(super) fn with_timing(
        store: Store,
        allowed: AllowedAddresses,
        client: WebhookClient,
        timing: DeliveryTiming,
    ) -> Self {
        Self {
            store,
            allowed,
            client,
            timing,
            name: format!("{} {}", std::process::id(), clock::new_id()).into(),
        }
    }

    /// Sends what is due until `stop`, and then finishes what it has begun.
    pub(crate) async fn work(self, stop: CancellationToken) {
        let mut sending = JoinSet::new();
        let mut busy = HashMap::<Id, WebhookId>::new();
        while !stop.is_cancelled() {
            let webhooks: Vec<_> = busy.values().copied().collect();
            match self.claim_unless_full(&webhooks).await {
                Ok(Some(claimed)) => {
                    let (worker, webhook) = (self.clone(), claimed.webhook);
                    let task = sending.spawn(async move { worker.deliver(&claimed).await });
                    busy.insert(task.id(), webhook);
                    continue;
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "the outbox of notices cannot be read"),
            }

            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(self.timing.poll) => {}
                Some(ended) = sending.join_next_with_id() => {
                    let id = match &ended {
                        Ok((id, ())) => *id,
                        Err(error) => error.id(),
                    };
                    busy.remove(&id);
                    if let Err(error) = ended {
                        tracing::error!(%error, "sending a notice broke off");
                    }
                }
            }
        }

        while sending.join_next().await.is_some() {}
    }

    async fn claim_unless_full(
        &self,
        busy: &[WebhookId],
    ) -> store::Result<Option<ClaimedDelivery>> {
        if busy.len() >= MOST_AT_ONCE {
            return Ok(None);
        }
        let (now, lease_ms) = (clock::now_ms(), self.timing.lease_ms);
        self.store
            .claim_delivery(&self.name, busy, now, lease_ms)
            .await
    }

    /// Tries a delivery, and stores its outcome.
    async fn deliver(&self, claimed: &ClaimedDelivery) {
        let id = claimed.id();
        let outcome = self.attempt(claimed).await;

        // The log has ids, because addresses may hold secrets of the receiver.
        match outcome {
            DeliveryOutcome::Delivered { status } => {
                tracing::info!(notice = %id, status, "a notice was delivered");
            }
            DeliveryOutcome::Failed {
                problem,
                status,
                retry_at,
            } => {
                let (problem, again) = (problem.name(), retry_at.is_some());
                tracing::info!(notice = %id, problem, status, again, "a notice was not delivered");
            }
        }

        let entry = server_entry(
            AuditKind::WebhookPaused,
            Some(claimed.study),
            AuditSubject::Named(address_host(&claimed.address)),
        );

        let finished = self
            .store
            .audited(entry)
            .finish_delivery(claimed, &self.name, outcome, clock::now_ms())
            .await;

        match finished {
            Ok((true, false)) => {}
            Ok((true, true)) => {
                tracing::warn!(webhook = %claimed.webhook, "a webhook was paused after failures");
            }
            Ok((false, _)) => tracing::warn!(notice = %id, "a notice took longer than its lease"),
            Err(error) => {
                tracing::warn!(notice = %id, %error, "the end of a try was not stored: the notice is sent again");
            }
        }
    }

    async fn attempt(&self, claimed: &ClaimedDelivery) -> DeliveryOutcome {
        let Ok(address) = self.allowed.check(&claimed.address) else {
            // The administrator took it off the list, so trying again would change nothing.
            return DeliveryOutcome::Failed {
                problem: DeliveryProblem::NotAllowed,
                status: None,
                retry_at: None,
            };
        };

        let notice = SignedNotice::new(claimed, clock::now_ms());
        match self.client.send(&address, &notice).await {
            Ok(status) => DeliveryOutcome::Delivered { status },
            Err(failure) => {
                let pause = (self.timing.pause)(claimed.attempt, clock::random());
                let is_test = claimed.notice == WebhookNotice::Test;
                DeliveryOutcome::Failed {
                    problem: failure.problem,
                    status: failure.status,
                    retry_at: (!is_test).then(|| clock::now_ms() + pause),
                }
            }
        }
    }
}
