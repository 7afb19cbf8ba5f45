//! Taking a model into use or out of it.

use leptos::prelude::*;

use crate::error::Refusal;

/// Takes a model into use, so that the next training continues from it and is compared with it. Or takes it
/// out of use, in favour of the one before it or the shipped one.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads or researches the study.
#[server(endpoint = "adopt-model")]
pub async fn adopt_model(
    slug: String,
    model: String,
    /// `yes` to use it, `no` to stop.
    adopted: String,
) -> Result<(), Refusal> {
    use store::audit::{AuditKind, AuditSubject};

    use crate::{
        links::StudyPage,
        request::{access, audited, parse, refuse, see_other},
        services,
    };

    let access = access(&slug).await?;
    access.require_panel_access()?;

    let (model, adopted) = (parse::id(&model)?, adopted == "yes");
    let (study, now) = (access.study.id, services().context.now_ms());
    let kind = match adopted {
        true => AuditKind::ModelAdopted,
        false => AuditKind::ModelDropped,
    };

    let store = audited(kind, Some(study), AuditSubject::Model(model));
    let changed = store.adopt_model(study, model, adopted, now);

    if changed.await.map_err(refuse)? {
        see_other(&StudyPage::Metrics.path(&slug));
        Ok(())
    } else {
        Err(Refusal::NotFound)
    }
}
