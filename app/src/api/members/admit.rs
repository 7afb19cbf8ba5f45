//! Admitting an annotator.

use leptos::prelude::*;

use crate::error::Refusal;

/// Admits an annotator to the study's sources, whatever they have answered so far.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where they are already
/// admitted, have left, or are not annotators.
#[server(endpoint = "admit")]
pub async fn admit(slug: String, person: String) -> Result<(), Refusal> {
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
    let admitted = audited(AuditKind::MemberAdmitted, Some(study), subject)
        .admit(study, person, now)
        .await;
    if !admitted.map_err(refuse)? {
        return Err(Refusal::invalid(
            "This annotator cannot be admitted: they are already admitted, have left, or are no longer an \
             annotator. Reload the page.",
        ));
    }

    redirect_to_members(&slug, true, "The annotator has been admitted.")
}
