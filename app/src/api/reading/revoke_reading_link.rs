//! Links by which participants take part are taken back.

use leptos::prelude::*;

use crate::error::Refusal;

/// Takes a link back: no session begins by it any more, and those that began go on.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "revoke-reading-link")]
pub async fn revoke_reading_link(
    /// The study's short name.
    slug: String,
    /// Which link.
    link: String,
) -> Result<(), Refusal> {
    use super::to_reading;
    use crate::api::{access, refuse, services};

    let access = access(&slug).await?;
    access.leads()?;
    let services = services();
    let now = (services.now_ms)();
    let revoked = services
        .store
        .revoke_reading_link(access.study.id, &link, now)
        .await;
    if !revoked.map_err(refuse)? {
        return Err(Refusal::NotFound);
    }
    to_reading(&slug, "The link is taken back.");
    Ok(())
}
