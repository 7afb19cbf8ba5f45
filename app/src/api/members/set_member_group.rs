//! Changing a member's group.

use leptos::prelude::*;

use crate::error::Refusal;

/// Puts an annotator into a group of the study, or into none. Sources that they have been given stay theirs.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where the study has no such group.
#[server(endpoint = "set-member-group")]
pub async fn set_member_group(
    slug: String,
    person: String,
    /// The id of the group; empty for none.
    #[server(default)]
    group: String,
) -> Result<(), Refusal> {
    use domain::ids::PersonId;
    use store::audit::{AuditKind, AuditSubject};

    use super::redirect_to_members;
    use crate::{
        request::{audited, lead_access, parse, refuse},
        services,
    };

    let access = lead_access(&slug).await?;

    let person: PersonId = parse::id(&person)?;
    let (study, now) = (access.study.id, services().context.now_ms());
    let subject = AuditSubject::Member(person);
    let group = Some(group.as_str()).filter(|group| !group.is_empty());

    let is_annotator = audited(AuditKind::MemberGroupChanged, Some(study), subject)
        .set_member_group(study, person, group, now)
        .await
        .map_err(refuse)?;

    redirect_to_members(&slug, is_annotator, "The group has been changed.")
}
