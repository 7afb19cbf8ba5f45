//! The purpose of a source.

use leptos::prelude::*;

use crate::error::Refusal;

/// Sets the purpose of a source: `main`, `tutorial`, `training`, `qualification` or `attention`.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where an annotator has the
/// source or has judged it.
#[server(endpoint = "set-purpose")]
pub async fn set_purpose(
    slug: String,
    /// The source's id, or its name in the files.
    source: String,
    purpose: String,
) -> Result<(), Refusal> {
    use domain::study::SourcePurpose;

    use crate::{
        links::StudyPage,
        request::{lead_access, parse, refuse, see_other_with},
        services,
    };

    let access = lead_access(&slug).await?;
    let purpose: SourcePurpose = parse::choice(&purpose)?;

    let (services, study) = (services(), access.study.id);
    let sources = services.live.source_list(&services.store, study).await;
    let sources = sources.map_err(refuse)?;

    let id_or_key = source.trim();
    let named = sources
        .iter()
        .find(|entry| entry.id.to_string() == id_or_key || entry.key == id_or_key);
    let named = named.ok_or_else(|| {
        Refusal::invalid(format!(
            "This study has no source called “{id_or_key}”. Check the list of sources."
        ))
    })?;

    let now = services.context.now_ms();
    let source_exists = services
        .store
        .set_purpose(study, named.id, purpose, now)
        .await
        .map_err(refuse)?;
    if !source_exists {
        return Err(Refusal::NotFound);
    }

    let message = match purpose {
        SourcePurpose::Main => format!("Source {} is now a normal source.", named.key),
        SourcePurpose::Attention => format!("Source {} is now an attention item.", named.key),
        purpose => format!("Source {} is now used for {purpose}.", named.key),
    };
    see_other_with(&StudyPage::Training.path(&slug), message);
    Ok(())
}
