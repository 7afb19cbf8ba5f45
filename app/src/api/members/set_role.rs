//! What a member of a study is.

use leptos::prelude::*;

use crate::error::Refusal;

/// Gives a member another role. What they have open is taken back where they judge no longer.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`]
/// where nobody would be left to lead.
#[server(endpoint = "set-role")]
pub async fn set_role(
    /// The study's short name.
    slug: String,
    /// The member.
    person: String,
    /// What they become.
    role: String,
) -> Result<(), Refusal> {
    use domain::{ids::PersonId, study::Role};

    use super::redirect_to_members;
    use crate::{
        request::{access, parse, refuse},
        services,
    };

    let access = access(&slug).await?;
    access.require_lead()?;
    let person: PersonId = parse::id(&person)?;
    let role: Role = parse::choice(&role)?;
    let services = services();
    let (study, now) = (access.study.id, services.context.now_ms());
    let found = services
        .store
        .set_role(study, person, role, now)
        .await
        .map_err(refuse)?;
    redirect_to_members(&slug, found, "The role is changed.")
}
