//! An import is taken back.

use leptos::prelude::*;

use crate::error::Refusal;

/// Takes an import back: everything that it brought is gone.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where something of it
/// was judged, or a later import added to it.
#[server(endpoint = "undo-import")]
pub async fn undo_import(
    /// The study's short name.
    slug: String,
    /// The import.
    import: String,
) -> Result<(), Refusal> {
    use domain::ids::ImportId;

    use crate::{
        request::{access, parse, refuse, see_other},
        services,
    };

    let access = access(&slug).await?;
    access.require_lead()?;
    let import: ImportId = parse::id(&import)?;
    let services = services();
    let (study, now) = (access.study.id, services.context.now_ms());
    let undone = services.store.undo_import(study, import, now);
    if !undone.await.map_err(refuse)? {
        return Err(Refusal::NotFound);
    }
    see_other(&format!("/s/{slug}/import"));
    Ok(())
}
