//! Consent to the information sheet.

use leptos::prelude::*;

use crate::error::Refusal;

/// Notes that the annotator has read the information sheet and takes part.
///
/// # Errors
/// [`Refusal::NotAllowed`] for others than annotators.
#[server(endpoint = "consent")]
pub async fn consent(
    /// The study's short name.
    slug: String,
) -> Result<(), Refusal> {
    use crate::{
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
    see_other(&format!("/s/{}/work", access.study.slug));
    Ok(())
}
