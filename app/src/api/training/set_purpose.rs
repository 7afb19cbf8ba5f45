//! What a source is there for.

use leptos::prelude::*;

use crate::error::Refusal;

/// Says what a source is there for: `main`, `tutorial`, `training` or `qualification`.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] once somebody
/// has the source or has judged it.
#[server(endpoint = "set-purpose")]
pub async fn set_purpose(
    /// The study's short name.
    slug: String,
    /// The source; or, where its id is not known, its name in the files.
    source: String,
    /// What it is there for.
    purpose: String,
) -> Result<(), Refusal> {
    use domain::study::SourcePurpose;

    use crate::{
        flash::{self, Flash},
        request::{access, parse, refuse, see_other},
        services,
    };

    let access = access(&slug).await?;
    access.require_lead()?;
    let purpose: SourcePurpose = parse::choice(&purpose)?;
    let (services, study) = (services(), access.study.id);
    let sources = services.store.sources(study).await.map_err(refuse)?;
    let wanted = source.trim();
    let named = sources
        .iter()
        .find(|it| it.id.to_string() == wanted || it.key == wanted);
    let named = named.ok_or_else(|| {
        Refusal::invalid(format!(
            "The study has no source called “{wanted}”: see its list."
        ))
    })?;
    let now = services.context.now_ms();
    let found = services
        .store
        .set_purpose(study, named.id, purpose, now)
        .await
        .map_err(refuse)?;
    if !found {
        return Err(Refusal::NotFound);
    }
    let said = match purpose {
        SourcePurpose::Main => format!("Source {} is judged like the others.", named.key),
        purpose => format!("Source {} is there for {purpose} now.", named.key),
    };
    flash::set(&Flash::Done(said));
    see_other(&format!("/s/{slug}/training"));
    Ok(())
}
