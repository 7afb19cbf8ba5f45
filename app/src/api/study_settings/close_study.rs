//! Closing a study.

use leptos::prelude::*;

use crate::error::Refusal;

/// Closes a study: annotators get no more sources, and answers can no longer change.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "close-study")]
pub async fn close_study(slug: String) -> Result<(), Refusal> {
    use store::audit::{AuditKind, AuditSubject};

    use crate::{
        links::StudyPage,
        request::{audited, lead_access, refuse, see_other_with},
        services,
    };

    let access = lead_access(&slug).await?;

    let (study, now) = (access.study.id, services().context.now_ms());
    let subject = AuditSubject::Named(access.study.name.clone());
    audited(AuditKind::StudyClosed, Some(study), subject)
        .close_study(study, now)
        .await
        .map_err(refuse)?;

    see_other_with(
        &StudyPage::Overview.path(&slug),
        "The study has been closed.",
    );
    Ok(())
}
