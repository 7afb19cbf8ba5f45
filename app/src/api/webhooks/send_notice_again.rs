//! Sending a notice again.

use leptos::prelude::*;

use crate::error::Refusal;

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
    use super::{check_address, find_webhook};
    use crate::{
        links::StudyPage,
        request::{lead_access, parse, refuse, see_other_with},
        services,
    };

    let access = lead_access(&slug).await?;
    let (study, webhook) = (access.study.id, find_webhook(&access, &webhook).await?);
    check_address(&webhook.address)?;

    let number = parse::integer(&number, "The number of the notice", 1..=i64::MAX)?;

    let services = services();
    let now = services.context.now_ms();
    let queued = services
        .store
        .queue_delivery_again(study, webhook.id, number, now)
        .await;
    if !queued.map_err(refuse)? {
        return Err(Refusal::invalid(
            "This notice waits to be sent already, or it is no longer kept. Reload the page.",
        ));
    }

    see_other_with(
        &StudyPage::Webhooks.path(&slug),
        "The notice is being sent again.",
    );
    Ok(())
}
