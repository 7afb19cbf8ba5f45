//! Revoking an invitation.

use leptos::prelude::*;

use crate::error::Refusal;

/// Revokes an invitation: its link stops working.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where the invitation does
/// not exist or has already been revoked.
#[server(endpoint = "revoke-invitation")]
pub async fn revoke_invitation(
    slug: String,
    /// The hash of the link's token, which names the invitation.
    invitation: String,
) -> Result<(), Refusal> {
    use store::{
        InvitationTarget,
        audit::{AuditKind, AuditSubject},
    };

    use crate::{
        links::StudyPage,
        request::{audited, lead_access_to_any, refuse, see_other_with},
        services,
    };

    let access = lead_access_to_any(&slug).await?;

    let (study, now) = (access.study.id, services().context.now_ms());
    let subject = AuditSubject::Invitation(invitation.clone());
    let revoked = audited(AuditKind::InvitationRevoked, Some(study), subject)
        .revoke_invitation(study, &invitation, now)
        .await
        .map_err(refuse)?;

    let page = match revoked {
        Some(InvitationTarget::Membership(_)) => StudyPage::Members,
        Some(InvitationTarget::Comprehension) => StudyPage::Reading,
        Some(InvitationTarget::Crowd) => StudyPage::Crowd,
        None => {
            return Err(Refusal::invalid(
                "This invitation does not exist or has already been revoked. Reload the page.",
            ));
        }
    };

    let message = "The invitation has been revoked. Its link no longer works.";
    see_other_with(&page.path(&slug), message);
    Ok(())
}
