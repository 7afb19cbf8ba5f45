//! Adding a webhook.

use leptos::prelude::*;

use crate::error::Refusal;

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
    use domain::ids::WebhookId;
    use service::webhooks::new_secret;
    use store::{audit::AuditKind, webhooks::NewWebhook};

    use super::{check_address, choose_notices, show_secret, subject};
    use crate::{
        request::{audited, lead_access, refuse},
        services,
    };

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

    audited(
        AuditKind::WebhookAdded,
        Some(study),
        subject(address.url().as_str()),
    )
    .add_webhook(study, &new, context.now_ms())
    .await
    .map_err(refuse)?;

    let sentence = "The webhook has been added. This is the only time its secret is shown: copy it now to the program \
                    that receives the notices, which checks their signatures with it.";
    show_secret(&slug, sentence, secret);
    Ok(())
}
