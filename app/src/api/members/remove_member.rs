//! Removing a member from a study.

use leptos::prelude::*;

use crate::error::Refusal;

/// Removes a member from the study and takes back their open sources. Their ratings stay and count.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`]
/// where the study would have no lead left; [`Refusal::ConfirmPassword`] where the password was typed too
/// long ago.
#[server(endpoint = "remove-member")]
pub async fn remove_member(slug: String, person: String) -> Result<(), Refusal> {
    use domain::ids::PersonId;
    use store::audit::{AuditKind, AuditSubject};

    use super::redirect_to_members;
    use crate::{
        request::{audited, lead_access_to_any, parse, refuse, require_confirmed},
        services,
    };

    let access = lead_access_to_any(&slug).await?;
    require_confirmed()?;

    let person: PersonId = parse::id(&person)?;
    let (study, now) = (access.study.id, services().context.now_ms());

    let subject = AuditSubject::Person(person);
    let was_member = audited(AuditKind::MemberRemoved, Some(study), subject)
        .remove_member(study, person, now)
        .await
        .map_err(refuse)?;

    redirect_to_members(
        &slug,
        was_member,
        "The member has been removed. Their submitted answers are kept and count.",
    )
}
