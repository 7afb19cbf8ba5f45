//! Consent to the information sheet.

use leptos::prelude::*;

use crate::error::Refusal;

/// Records that the annotator has read the information sheet and takes part.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person is an annotator.
#[server(endpoint = "consent")]
pub async fn consent(slug: String) -> Result<(), Refusal> {
    use crate::{
        links::StudyPage,
        request::{access, refuse, see_other},
        services,
    };

    let access = access(&slug).await?;
    access.require_annotator()?;

    let services = services();
    let now = services.context.now_ms();
    services
        .store
        .consent(access.study.id, access.person.id, now)
        .await
        .map_err(refuse)?;

    see_other(&StudyPage::Work.path(&access.study.slug));
    Ok(())
}
