//! Taking a study out of the archive.

use leptos::prelude::*;

use crate::error::Refusal;

/// Takes a study out of the archive. It stays closed.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "unarchive-study")]
pub async fn unarchive_study(slug: String) -> Result<(), Refusal> {
    use store::audit::{AuditKind, AuditSubject};

    use crate::{
        links::StudyPage,
        request::{audited, lead_access_to_any, refuse, see_other_with},
        services,
    };

    let access = lead_access_to_any(&slug).await?;

    let (study, now) = (access.study.id, services().context.now_ms());
    let subject = AuditSubject::Named(access.study.name.clone());
    audited(AuditKind::StudyUnarchived, Some(study), subject)
        .unarchive_study(study, now)
        .await
        .map_err(refuse)?;

    see_other_with(
        &StudyPage::Overview.path(&slug),
        "The study is no longer archived. It is closed: open it again to collect more ratings.",
    );
    Ok(())
}
