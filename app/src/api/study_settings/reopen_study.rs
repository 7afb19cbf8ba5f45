//! Reopening a closed study.

use leptos::prelude::*;

use crate::error::Refusal;

/// Opens a closed study again.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "reopen-study")]
pub async fn reopen_study(slug: String) -> Result<(), Refusal> {
    use store::audit::{AuditKind, AuditSubject};

    use crate::{
        links::StudyPage,
        request::{audited, lead_access, refuse, see_other_with},
        services,
    };

    let access = lead_access(&slug).await?;

    let (study, now) = (access.study.id, services().context.now_ms());
    let subject = AuditSubject::Named(access.study.name.clone());
    audited(AuditKind::StudyReopened, Some(study), subject)
        .reopen_study(study, now)
        .await
        .map_err(refuse)?;

    see_other_with(&StudyPage::Overview.path(&slug), "The study is open again.");
    Ok(())
}
