//! Taking an invitation back.

use leptos::prelude::*;

use crate::error::Refusal;

/// Takes an invitation back: its link works no longer.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`]
/// where there is no such invitation, or it is taken back already.
#[server(endpoint = "revoke-invitation")]
pub async fn revoke_invitation(
    /// The study's short name.
    slug: String,
    /// The hash of the link's token, which names the invitation.
    invitation: String,
) -> Result<(), Refusal> {
    use super::to_members;
    use crate::api::{access, refuse, services};

    let access = access(&slug).await?;
    access.leads()?;
    let services = services();
    let (study, now) = (access.study.id, (services.now_ms)());
    let revoked = services
        .store
        .revoke_invitation(study, &invitation, now)
        .await
        .map_err(refuse)?;
    if !revoked {
        return Err(Refusal::invalid(
            "There is no such invitation, or it is taken back already: load the page anew.",
        ));
    }
    to_members(
        &slug,
        true,
        "The invitation is taken back: its link works no longer.",
    )
}
