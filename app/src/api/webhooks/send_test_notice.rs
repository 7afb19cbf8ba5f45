//! Trying a webhook.

use leptos::prelude::*;

use crate::error::Refusal;

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
    use super::{check_address, find_webhook};
    use crate::{
        links::StudyPage,
        request::{lead_access, refuse, see_other_with},
        services,
    };

    let access = lead_access(&slug).await?;
    let (study, webhook) = (access.study.id, find_webhook(&access, &webhook).await?);
    check_address(&webhook.address)?;

    let services = services();
    let now = services.context.now_ms();
    let queued = services
        .store
        .queue_test_notice(study, webhook.id, now)
        .await;
    queued.map_err(refuse)?.ok_or(Refusal::NotFound)?;

    see_other_with(
        &StudyPage::Webhooks.path(&slug),
        "A test notice is being sent. The list of deliveries says how that ends.",
    );
    Ok(())
}
