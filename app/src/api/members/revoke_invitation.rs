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
    use store::InvitationTarget;

    use crate::{
        flash::{self, Flash},
        request::{access, refuse, see_other},
        services,
    };

    let access = access(&slug).await?;
    access.require_lead()?;
    let services = services();
    let (study, now) = (access.study.id, services.context.now_ms());
    let revoked = services
        .store
        .revoke_invitation(study, &invitation, now)
        .await
        .map_err(refuse)?;
    let back = match revoked {
        Some(InvitationTarget::Membership(_)) => "members",
        Some(InvitationTarget::Comprehension) => "reading",
        None => {
            return Err(Refusal::invalid(
                "There is no such invitation, or it is taken back already: load the page anew.",
            ));
        }
    };
    let said = "The invitation is taken back: its link works no longer.";
    flash::set(&Flash::Done(said.to_owned()));
    see_other(&format!("/s/{slug}/{back}"));
    Ok(())
}
