//! Pausing a webhook, and starting it again.

use leptos::prelude::*;

use crate::error::Refusal;

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
    use store::audit::AuditKind;

    use super::{find_webhook, subject};
    use crate::{
        links::StudyPage,
        request::{audited, lead_access, refuse, see_other_with},
        services,
    };

    let access = lead_access(&slug).await?;
    let (study, webhook) = (access.study.id, find_webhook(&access, &webhook).await?);

    let subject = subject(&webhook.address);
    let message = if pause == "yes" {
        let now = services().context.now_ms();
        audited(AuditKind::WebhookPaused, Some(study), subject)
            .pause_webhook(study, webhook.id, now)
            .await
            .map_err(refuse)?;
        "The webhook has been paused: it gets no notices until you start it again."
    } else {
        audited(AuditKind::WebhookResumed, Some(study), subject)
            .resume_webhook(study, webhook.id)
            .await
            .map_err(refuse)?;
        "The webhook has been started again."
    };

    see_other_with(&StudyPage::Webhooks.path(&slug), message);
    Ok(())
}
