//! The study's own texts are read.

use leptos::prelude::*;

use crate::error::Refusal;

/// Makes passages of the study's own sources, references and outputs. What is there already stays, so
/// that it can be asked again when outputs were added.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where it has no
/// sources, or a passage of the same name has another text.
#[server(endpoint = "take-sources")]
pub async fn take_sources(
    /// The study's short name.
    slug: String,
) -> Result<(), Refusal> {
    use super::redirect_to_comprehension;
    use crate::{
        request::{access, refuse},
        services,
    };
    use service::{comprehension::passages_from_sources, wording::sentence};

    let access = access(&slug).await?;
    access.require_lead()?;
    let (services, study) = (services(), access.study.id);
    let found = passages_from_sources(&services.store, study)
        .await
        .map_err(refuse)?;
    let bad = |error: domain::comprehension::MaterialError| {
        let named = "A source or system cannot be taken by its name:";
        Refusal::Invalid(sentence(&format!("{named} {error}")))
    };
    let passages = found.map_err(bad)?;
    if passages.is_empty() {
        return Err(Refusal::invalid(
            "This study has no sources: import some first.",
        ));
    }
    let now = services.context.now_ms();
    let added = services
        .store
        .import_comprehension(study, &passages, &[], services.context.ids, now)
        .await
        .map_err(refuse)?;
    redirect_to_comprehension(
        &slug,
        &format!(
            "Passages added: {}; texts added: {}. Now write their questions.",
            added.passages, added.texts
        ),
    );
    Ok(())
}
