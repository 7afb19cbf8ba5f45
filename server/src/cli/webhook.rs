use std::{collections::BTreeSet, time::Duration};

use anyhow::{Context as _, bail, ensure};
use domain::{
    ids::{StudyId, WebhookId},
    study::Slug,
};
use serde::Serialize;
use service::webhooks::{address_host, new_secret, problem_words};
use store::{
    Store,
    audit::{AuditKind, AuditSubject},
    webhooks::{DeliveryState, NewWebhook, NoticeKind, Webhook, WebhookDelivery},
};
use utoipa::ToSchema;

use super::{output::CommandOutput, study::find_study};
use crate::{
    audit::command_entry,
    clock, database,
    settings::{DataSettings, WebhookSettings},
};

/// The time for which a test waits for a server to send it; one try takes less.
const TEST_PATIENCE: Duration = Duration::from_secs(20);

/// The interval at which a test looks for its end.
const TEST_POLL: Duration = Duration::from_millis(200);

/// The number of newest deliveries among which a test looks for its own.
const LOOKED_THROUGH: u32 = 1_000;

/// Commands for the webhooks of a study. They may be used while the server runs.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum WebhookCommand {
    /// Have notices of a study sent to an address. The secret that signs them is printed once.
    Add {
        /// The short name of the study.
        study: Slug,
        /// The address, below one that the settings allow.
        address: String,
        /// A kind of notice that it gets: source-handed-in, study-finished or job-ended; may be repeated. By default all of
        /// these.
        #[arg(long = "notice", value_name = "KIND")]
        notices: Vec<NoticeKind>,
        #[command(flatten)]
        settings: WebhookSettings,
    },
    /// List the webhooks of a study.
    List {
        /// The short name of the study.
        study: Slug,
    },
    /// Remove a webhook, by its id in the list.
    Remove {
        /// The short name of the study.
        study: Slug,
        /// The webhook's id.
        webhook: WebhookId,
    },
    /// Have the running server send a test notice, and say how that ended.
    Test {
        /// The short name of the study.
        study: Slug,
        /// The webhook's id.
        webhook: WebhookId,
    },
}

/// A webhook, as commands print it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct WebhookDetails<'a> {
    /// The webhook.
    id: WebhookId,
    /// Short name of the study.
    study: &'a Slug,
    /// The address that notices are sent to.
    address: &'a str,
    /// The kinds of notices, by name.
    notices: Vec<&'static str>,
    /// active, paused, or failing where the server paused it.
    state: &'static str,
    /// The secret, once the webhook was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<&'a str>,
}

/// The webhooks of a study, as they are printed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct WebhookListing<'a> {
    /// All webhooks of the study.
    webhooks: Vec<WebhookDetails<'a>>,
}

/// A removed webhook, as it is printed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RemovedWebhook {
    /// The webhook.
    id: WebhookId,
    /// Whether it was there until now.
    removed: bool,
}

/// The end of a test, as it is printed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct WebhookTest {
    /// The webhook.
    id: WebhookId,
    /// Whether the receiver took the notice.
    delivered: bool,
    /// The status of the receiver's answer.
    status: Option<i64>,
    /// Why it was not delivered, by name.
    problem: Option<&'static str>,
}

impl WebhookCommand {
    pub(crate) async fn run(
        self,
        output: CommandOutput,
        data: &DataSettings,
    ) -> anyhow::Result<()> {
        let store = match self {
            Self::List { .. } => database::open_to_read(data).await?,
            _ => database::open_existing(data).await?,
        };

        match self {
            Self::Add {
                study,
                address,
                notices,
                settings,
            } => add(output, &store, study, &address, notices, &settings).await,
            Self::List { study } => list(output, &store, &study).await,
            Self::Remove { study, webhook } => remove(output, &store, &study, webhook).await,
            Self::Test { study, webhook } => test(output, &store, &study, webhook).await,
        }
    }
}

async fn add(
    mut output: CommandOutput,
    store: &Store,
    slug: Slug,
    address: &str,
    notices: Vec<NoticeKind>,
    settings: &WebhookSettings,
) -> anyhow::Result<()> {
    let study = find_study(store, &slug).await?.id;
    let address = settings.allowed().check(address)?;
    ensure!(
        !notices.contains(&NoticeKind::Test),
        "a webhook always gets its tests: name other kinds"
    );

    let notices: BTreeSet<_> = match notices.is_empty() {
        true => NoticeKind::CHOICES.into(),
        false => notices.into_iter().collect(),
    };

    let secret = new_secret(clock::random());
    let new = NewWebhook {
        id: WebhookId(clock::new_id()),
        address: address.url().as_str(),
        notices: &notices,
        secret: &secret,
    };
    audited(store, AuditKind::WebhookAdded, study, new.address)
        .add_webhook(study, &new, clock::now_ms())
        .await?;

    let details = WebhookDetails {
        id: new.id,
        study: &slug,
        address: new.address,
        notices: names(&notices),
        state: "active",
        secret: Some(&secret.0),
    };
    output.print(&details, || {
        format!(
            "{slug}: added the webhook {} to {}\nsecret (shown this once): {}",
            new.id, new.address, secret.0
        )
    })
}

async fn list(mut output: CommandOutput, store: &Store, slug: &Slug) -> anyhow::Result<()> {
    let study = find_study(store, slug).await?.id;
    let webhooks = store.webhooks(study).await?;
    let details = |webhook| describe(webhook, slug);

    let report = WebhookListing {
        webhooks: webhooks.iter().map(details).collect(),
    };

    output.print(&report, || {
        let line = |webhook: &WebhookDetails<'_>| {
            let notices = webhook.notices.join(", ");
            format!(
                "{}  {}  {}  {notices}\n",
                webhook.id, webhook.state, webhook.address
            )
        };
        report.webhooks.iter().map(line).collect()
    })
}

async fn remove(
    mut output: CommandOutput,
    store: &Store,
    slug: &Slug,
    id: WebhookId,
) -> anyhow::Result<()> {
    let study = find_study(store, slug).await?.id;
    let webhook = find_webhook(store, study, slug, id).await?;
    let removed = audited(store, AuditKind::WebhookRemoved, study, &webhook.address)
        .remove_webhook(study, id)
        .await?;

    output.print(&RemovedWebhook { id, removed }, || {
        format!("{slug}: removed the webhook {id} to {}", webhook.address)
    })
}

async fn test(
    mut output: CommandOutput,
    store: &Store,
    slug: &Slug,
    id: WebhookId,
) -> anyhow::Result<()> {
    let study = find_study(store, slug).await?.id;
    find_webhook(store, study, slug, id).await?;
    let queued = store.queue_test_notice(study, id, clock::now_ms()).await?;
    let number = queued.context("the webhook was removed meanwhile")?;

    let ended = tokio::time::timeout(TEST_PATIENCE, wait_for_end(store, study, id, number)).await;
    let Ok(delivery) = ended else {
        bail!(
            "no server sent the test within {} seconds: is one running, with [webhooks] allow in its settings?",
            TEST_PATIENCE.as_secs()
        );
    };
    let delivery = delivery?;

    let report = WebhookTest {
        id,
        delivered: delivery.state == DeliveryState::Delivered,
        status: delivery.status,
        problem: delivery.problem.map(|problem| problem.name()),
    };
    output.print(&report, || {
        let answer = delivery
            .status
            .map(|status| format!(" (status {status})"))
            .unwrap_or_default();
        match delivery.problem {
            None => format!("{slug}: the test was delivered{answer}"),
            Some(problem) => {
                let why = problem_words(problem);
                format!("{slug}: the test was not delivered. {why}{answer}")
            }
        }
    })
}

/// Waits until a delivery has ended.
async fn wait_for_end(
    store: &Store,
    study: StudyId,
    webhook: WebhookId,
    number: i64,
) -> anyhow::Result<WebhookDelivery> {
    loop {
        let list = store.webhook_deliveries(study, LOOKED_THROUGH).await?;
        let mut list = list.into_iter();
        let found = list.find(|entry| (entry.webhook, entry.number) == (webhook, number));
        let delivery = found.context("the test is no longer kept")?;
        if delivery.state != DeliveryState::Waiting {
            return Ok(delivery);
        }
        tokio::time::sleep(TEST_POLL).await;
    }
}

fn audited(store: &Store, kind: AuditKind, study: StudyId, address: &str) -> Store {
    let subject = AuditSubject::Named(address_host(address));
    store.audited(command_entry(kind, Some(study), subject))
}

async fn find_webhook(
    store: &Store,
    study: StudyId,
    slug: &Slug,
    id: WebhookId,
) -> anyhow::Result<Webhook> {
    let mut webhooks = store.webhooks(study).await?.into_iter();
    let found = webhooks.find(|webhook| webhook.id == id);
    found.with_context(|| format!("{slug} has no webhook {id}: see `rankrate webhook list {slug}`"))
}

fn describe<'a>(webhook: &'a Webhook, slug: &'a Slug) -> WebhookDetails<'a> {
    WebhookDetails {
        id: webhook.id,
        study: slug,
        address: &webhook.address,
        notices: names(&webhook.notices),
        state: match webhook.pause {
            None => "active",
            Some(pause) if pause.by_server => "failing",
            Some(_) => "paused",
        },
        secret: None,
    }
}

fn names(notices: &BTreeSet<NoticeKind>) -> Vec<&'static str> {
    notices.iter().map(|kind| kind.name()).collect()
}
