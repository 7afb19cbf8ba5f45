//! Removing a webhook.

use leptos::prelude::*;

use crate::error::Refusal;

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
    use store::audit::AuditKind;

    use super::{find_webhook, subject};
    use crate::{
        links::StudyPage,
        request::{audited, lead_access, refuse, see_other_with},
    };

    let access = lead_access(&slug).await?;
    let (study, webhook) = (access.study.id, find_webhook(&access, &webhook).await?);

    let removed = audited(
        AuditKind::WebhookRemoved,
        Some(study),
        subject(&webhook.address),
    )
    .remove_webhook(study, webhook.id)
    .await
    .map_err(refuse)?;
    if !removed {
        return Err(Refusal::NotFound);
    }

    see_other_with(
        &StudyPage::Webhooks.path(&slug),
        "The webhook has been removed.",
    );
    Ok(())
}
