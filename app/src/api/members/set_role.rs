//! Changing a member's role.

use leptos::prelude::*;

use crate::error::Refusal;

/// Gives a member another role. Their open sources are taken back where the new role does not judge.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`]
/// where the study would have no lead left; [`Refusal::ConfirmPassword`] where the password was typed too
/// long ago.
#[server(endpoint = "set-role")]
pub async fn set_role(slug: String, person: String, role: String) -> Result<(), Refusal> {
    use domain::{ids::PersonId, study::Role};
    use store::audit::{AuditKind, AuditSubject};

    use super::redirect_to_members;
    use crate::{
        request::{audited, lead_access, parse, refuse, require_confirmed},
        services,
    };

    let access = lead_access(&slug).await?;
    require_confirmed()?;

    let person: PersonId = parse::id(&person)?;
    let role: Role = parse::choice(&role)?;

    let (study, now) = (access.study.id, services().context.now_ms());
    let subject = AuditSubject::Member(person);
    let is_member = audited(AuditKind::RoleChanged, Some(study), subject)
        .set_role(study, person, role, now)
        .await
        .map_err(refuse)?;

    redirect_to_members(&slug, is_member, "The role has been changed.")
}
