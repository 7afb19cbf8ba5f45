//! Changing a webhook.

use leptos::prelude::*;

use crate::error::Refusal;

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
    use store::audit::AuditKind;

    use super::{check_address, choose_notices, find_webhook, subject};
    use crate::{
        links::StudyPage,
        request::{audited, lead_access, refuse, see_other_with},
    };

    let access = lead_access(&slug).await?;
    let (study, webhook) = (access.study.id, find_webhook(&access, &webhook).await?);

    let address = check_address(&address)?;
    let notices = choose_notices(source_handed_in, study_finished, job_ended)?;

    let address = address.url().as_str();
    let changed = audited(AuditKind::WebhookChanged, Some(study), subject(address))
        .change_webhook(study, webhook.id, address, &notices)
        .await
        .map_err(refuse)?;
    if !changed {
        return Err(Refusal::NotFound);
    }

    see_other_with(
        &StudyPage::Webhooks.path(&slug),
        "The webhook has been saved.",
    );
    Ok(())
}
