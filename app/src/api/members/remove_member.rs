//! Taking a member out of a study.

use leptos::prelude::*;

use crate::error::Refusal;

/// Takes a member out of the study, and back what they have open. Their ratings stay and count.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`]
/// where nobody would be left to lead.
#[server(endpoint = "remove-member")]
pub async fn remove_member(
    /// The study's short name.
    slug: String,
    /// The member.
    person: String,
) -> Result<(), Refusal> {
    use domain::ids::PersonId;

    use super::redirect_to_members;
    use crate::{
        request::{access, parse, refuse},
        services,
    };

    let access = access(&slug).await?;
    access.require_lead()?;
    let person: PersonId = parse::id(&person)?;
    let services = services();
    let (study, now) = (access.study.id, services.context.now_ms());
    let found = services
        .store
        .remove_member(study, person, now)
        .await
        .map_err(refuse)?;
    redirect_to_members(
        &slug,
        found,
        "The member is removed; what they handed in stays and counts.",
    )
}
