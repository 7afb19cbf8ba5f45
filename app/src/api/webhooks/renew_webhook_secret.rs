//! Renewing the secret of a webhook.

use leptos::prelude::*;

use crate::error::Refusal;

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
    use service::webhooks::new_secret;
    use store::audit::AuditKind;

    use super::{find_webhook, show_secret, subject};
    use crate::{
        request::{audited, lead_access, refuse},
        services,
    };

    let access = lead_access(&slug).await?;
    let (study, webhook) = (access.study.id, find_webhook(&access, &webhook).await?);

    let secret = new_secret(services().context.random_bytes());
    let renewed = audited(
        AuditKind::WebhookSecretRenewed,
        Some(study),
        subject(&webhook.address),
    )
    .renew_webhook_secret(study, webhook.id, &secret)
    .await
    .map_err(refuse)?;
    if !renewed {
        return Err(Refusal::NotFound);
    }

    let sentence = "The webhook has a new secret, and the old one no longer signs anything. This is the only time the \
                    new one is shown: copy it now to the program that receives the notices.";
    show_secret(&slug, sentence, secret);
    Ok(())
}
