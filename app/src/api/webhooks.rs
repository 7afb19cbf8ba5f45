//! Webhooks of a study: addresses of other programs that are notified of events in it.

use leptos::prelude::*;

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    super::ssr::*,
    domain::ids::{StudyId, WebhookId},
    service::webhooks::{WebhookAddress, address_host, new_secret},
    std::collections::BTreeSet,
    store::webhooks::{NewWebhook, NoticeKind, Webhook, WebhookSecret},
};

/// Adds a webhook to a study. The next page shows its secret, and no page after that.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an address that the
/// server's settings do not allow, and where no kind of notice is chosen.
#[server(endpoint = "add-webhook")]
pub async fn add_webhook(
    slug: String,
    /// The address to send notices to.
    address: String,
    /// Present for notices of submitted sources.
    #[server(default)]
    source_handed_in: Option<String>,
    /// Present for notices of the end of the study.
    #[server(default)]
    study_finished: Option<String>,
    /// Present for notices of background jobs that end.
    #[server(default)]
    job_ended: Option<String>,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let address = check_address(&address)?;
    let notices = choose_notices(source_handed_in, study_finished, job_ended)?;

    let (study, context) = (access.study.id, services().context);
    let secret = new_secret(context.random_bytes());
    let new = NewWebhook {
        id: WebhookId(context.new_id()),
        address: address.url().as_str(),
        notices: &notices,
        secret: &secret,
    };

    audited_webhook(AuditKind::WebhookAdded, study, address.url().as_str())
        .add_webhook(study, &new, context.now_ms())
        .await
        .map_err(refuse)?;

    let sentence = "The webhook has been added. This is the only time its secret is shown: copy it now to the program \
                    that receives the notices, which checks their signatures with it.";
    show_secret(&slug, sentence, secret)
}

/// Changes the address of a webhook and the kinds of its notices. Its secret stays the same.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::NotFound`] where it has no such webhook;
/// [`Refusal::Invalid`] as for a new one.
#[server(endpoint = "change-webhook")]
pub async fn change_webhook(
    slug: String,
    /// The webhook's id.
    webhook: String,
    /// The address to send notices to.
    address: String,
    /// Present for notices of submitted sources.
    #[server(default)]
    source_handed_in: Option<String>,
    /// Present for notices of the end of the study.
    #[server(default)]
    study_finished: Option<String>,
    /// Present for notices of background jobs that end.
    #[server(default)]
    job_ended: Option<String>,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;
    let (study, webhook) = (access.study.id, find_webhook(&access, &webhook).await?);

    let address = check_address(&address)?;
    let notices = choose_notices(source_handed_in, study_finished, job_ended)?;

    let address = address.url().as_str();
    let changed = audited_webhook(AuditKind::WebhookChanged, study, address)
        .change_webhook(study, webhook.id, address, &notices)
        .await
        .map_err(refuse)?;
    require_found(changed)?;

    redirect_with(StudyPage::Webhooks, &slug, "The webhook has been saved.")
}

/// Pauses a webhook, or starts it again.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::NotFound`] where it has no such webhook.
#[server(endpoint = "pause-webhook")]
pub async fn pause_webhook(
    slug: String,
    /// The webhook's id.
    webhook: String,
    /// `yes` to pause it; otherwise it is started again.
    #[server(default)]
    pause: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;
    let (study, webhook) = (access.study.id, find_webhook(&access, &webhook).await?);

    let message = if pause == "yes" {
        let now = services().context.now_ms();
        audited_webhook(AuditKind::WebhookPaused, study, &webhook.address)
            .pause_webhook(study, webhook.id, now)
            .await
            .map_err(refuse)?;
        "The webhook has been paused: it gets no notices until you start it again."
    } else {
        audited_webhook(AuditKind::WebhookResumed, study, &webhook.address)
            .resume_webhook(study, webhook.id)
            .await
            .map_err(refuse)?;
        "The webhook has been started again."
    };

    redirect_with(StudyPage::Webhooks, &slug, message)
}

/// Removes a webhook with all of its deliveries, including those not sent yet.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::NotFound`] where it has no such webhook.
#[server(endpoint = "remove-webhook")]
pub async fn remove_webhook(
    slug: String,
    /// The webhook's id.
    webhook: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;
    let (study, webhook) = (access.study.id, find_webhook(&access, &webhook).await?);

    let removed = audited_webhook(AuditKind::WebhookRemoved, study, &webhook.address)
        .remove_webhook(study, webhook.id)
        .await
        .map_err(refuse)?;
    require_found(removed)?;

    redirect_with(StudyPage::Webhooks, &slug, "The webhook has been removed.")
}

/// Gives a webhook a new secret, which signs everything sent from now on. The next page shows it, and no page
/// after that.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::NotFound`] where it has no such webhook.
#[server(endpoint = "renew-webhook-secret")]
pub async fn renew_webhook_secret(
    slug: String,
    /// The webhook's id.
    webhook: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;
    let (study, webhook) = (access.study.id, find_webhook(&access, &webhook).await?);

    let secret = new_secret(services().context.random_bytes());
    let renewed = audited_webhook(AuditKind::WebhookSecretRenewed, study, &webhook.address)
        .renew_webhook_secret(study, webhook.id, &secret)
        .await
        .map_err(refuse)?;
    require_found(renewed)?;

    let sentence = "The webhook has a new secret, and the old one no longer signs anything. This is the only time the \
                    new one is shown: copy it now to the program that receives the notices.";
    show_secret(&slug, sentence, secret)
}

/// Sends a test notice to a webhook, even a paused one. It is tried once.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::NotFound`] where it has no such webhook;
/// [`Refusal::Invalid`] where the settings of the server do not allow its address.
#[server(endpoint = "send-test-notice")]
pub async fn send_test_notice(
    slug: String,
    /// The webhook's id.
    webhook: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;
    let (study, webhook) = (access.study.id, find_webhook(&access, &webhook).await?);
    check_address(&webhook.address)?;

    let (store, now) = store_and_now();
    let queued = store.queue_test_notice(study, webhook.id, now).await;
    queued.map_err(refuse)?.ok_or(Refusal::NotFound)?;

    redirect_with(
        StudyPage::Webhooks,
        &slug,
        "A test notice is being sent. The list of deliveries says how that ends.",
    )
}

/// Sends a notice again that was delivered or failed for good, under the same id.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::NotFound`] where it has no such
/// webhook; [`Refusal::Invalid`] where the delivery does not exist or waits to be sent already, or where the
/// server's settings do not allow the address.
#[server(endpoint = "send-notice-again")]
pub async fn send_notice_again(
    slug: String,
    /// The webhook's id.
    webhook: String,
    /// The number of the delivery within the webhook.
    number: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;
    let (study, webhook) = (access.study.id, find_webhook(&access, &webhook).await?);
    check_address(&webhook.address)?;

    let number = parse::integer(&number, "The number of the notice", 1..=i64::MAX)?;

    let (store, now) = store_and_now();
    let queued = store
        .queue_delivery_again(study, webhook.id, number, now)
        .await;
    if !queued.map_err(refuse)? {
        return Err(Refusal::invalid(
            "This notice waits to be sent already, or it is no longer kept. Reload the page.",
        ));
    }

    redirect_with(
        StudyPage::Webhooks,
        &slug,
        "The notice is being sent again.",
    )
}

/// Parses an address that notices may be sent to.
#[cfg(feature = "ssr")]
fn check_address(text: &str) -> Result<WebhookAddress, Refusal> {
    let address = services().webhooks.check(text);
    address.map_err(|refusal| Refusal::invalid(refusal.to_string()))
}

/// The kinds of notices whose fields are present.
#[cfg(feature = "ssr")]
fn choose_notices(
    source_handed_in: Option<String>,
    study_finished: Option<String>,
    job_ended: Option<String>,
) -> Result<BTreeSet<NoticeKind>, Refusal> {
    let chosen: BTreeSet<_> = [
        (source_handed_in, NoticeKind::SourceHandedIn),
        (study_finished, NoticeKind::StudyFinished),
        (job_ended, NoticeKind::JobEnded),
    ]
    .into_iter()
    .filter_map(|(field, kind)| field.map(|_| kind))
    .collect();

    match chosen.is_empty() {
        true => Err(Refusal::invalid(
            "Choose at least one kind of notice for the webhook.",
        )),
        false => Ok(chosen),
    }
}

/// The webhook with that id, if it belongs to the study.
#[cfg(feature = "ssr")]
async fn find_webhook(access: &RequestAccess, id: &str) -> Result<Webhook, Refusal> {
    let id = parse::id(id)?;
    let webhooks = services().store.webhooks(access.study.id).await;
    let mut webhooks = webhooks.map_err(refuse)?.into_iter();
    webhooks
        .find(|webhook| webhook.id == id)
        .ok_or(Refusal::NotFound)
}

/// The store with an audit entry that names the host of the address alone, since paths may hold secrets.
#[cfg(feature = "ssr")]
fn audited_webhook(kind: AuditKind, study: StudyId, address: &str) -> Store {
    let host = AuditSubject::Named(address_host(address));
    audited(kind, Some(study), host)
}

/// Redirects to the webhooks, which then show the secret once.
#[cfg(feature = "ssr")]
fn show_secret(slug: &str, sentence: &str, secret: WebhookSecret) -> Result<(), Refusal> {
    flash::set(&Flash::Secret(sentence.to_owned(), secret.0));
    see_other(&StudyPage::Webhooks.path(slug));
    Ok(())
}
