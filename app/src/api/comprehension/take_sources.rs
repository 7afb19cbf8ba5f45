//! Making passages from the study's own texts.

use leptos::prelude::*;

use crate::error::Refusal;

/// Makes passages from the study's own sources, references and outputs. Existing passages do not change, so
/// this can be repeated after outputs were added.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where it has no
/// sources, or a passage of the same name has another text.
#[server(endpoint = "take-sources")]
pub async fn take_sources(slug: String) -> Result<(), Refusal> {
    use super::redirect_to_comprehension;
    use crate::{
        request::{lead_access, refuse},
        services,
    };
    use service::{comprehension::passages_from_sources, wording::sentence};

    let access = lead_access(&slug).await?;

    let (services, study) = (services(), access.study.id);
    let passages = passages_from_sources(&services.store, study)
        .await
        .map_err(refuse)?;

    let bad = |error: domain::comprehension::MaterialError| {
        let named = "A source or system has a name that cannot be used:";
        Refusal::Invalid(sentence(&format!("{named} {error}")))
    };
    let passages = passages.map_err(bad)?;
    if passages.is_empty() {
        return Err(Refusal::invalid(
            "This study has no sources. Import some first.",
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
            "Passages added: {}; texts added: {}. Next, write their questions.",
            added.passages, added.texts
        ),
    );
    Ok(())
}
