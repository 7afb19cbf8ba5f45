//! Archiving a study.

use leptos::prelude::*;

use crate::error::Refusal;

/// Archives a study: it is closed, leaves the list of studies, and nothing in it can be changed.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "archive-study")]
pub async fn archive_study(slug: String) -> Result<(), Refusal> {
    use store::audit::{AuditKind, AuditSubject};

    use crate::{
        links::StudyPage,
        request::{audited, lead_access_to_any, refuse, see_other_with},
        services,
    };

    let access = lead_access_to_any(&slug).await?;

    let (study, now) = (access.study.id, services().context.now_ms());
    let subject = AuditSubject::Named(access.study.name.clone());
    audited(AuditKind::StudyArchived, Some(study), subject)
        .archive_study(study, now)
        .await
        .map_err(refuse)?;

    see_other_with(
        &StudyPage::Overview.path(&slug),
        "The study has been archived. You find it below your other studies.",
    );
    Ok(())
}
