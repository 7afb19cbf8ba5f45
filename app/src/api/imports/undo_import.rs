//! Undoing an import.

use leptos::prelude::*;

use crate::error::Refusal;

/// Undoes an import: everything that it added is deleted.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where part of it has been
/// judged, or where a later import added to it.
#[server(endpoint = "undo-import")]
pub async fn undo_import(slug: String, import: String) -> Result<(), Refusal> {
    use domain::ids::ImportId;
    use store::audit::{AuditKind, AuditSubject};

    use crate::{
        links::StudyPage,
        request::{audited, lead_access, parse, refuse, see_other},
        services,
    };

    let access = lead_access(&slug).await?;

    let import: ImportId = parse::id(&import)?;
    let (study, now) = (access.study.id, services().context.now_ms());
    let subject = AuditSubject::Import(import);
    let store = audited(AuditKind::ImportUndone, Some(study), subject);

    let undone = store.undo_import(study, import, now);
    if !undone.await.map_err(refuse)? {
        return Err(Refusal::NotFound);
    }

    see_other(&StudyPage::Import.path(&slug));
    Ok(())
}
