//! The number of annotators of one source.

use leptos::prelude::*;

use crate::error::Refusal;

/// Gives a source its own number of annotators; an empty number restores that of the study's settings.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an invalid number, for
/// a source that isn't judged for the study, and where the study is closed.
#[server(endpoint = "set-own-overlap")]
pub async fn set_own_overlap(slug: String, source: String, overlap: String) -> Result<(), Refusal> {
    use domain::{ids::SourceId, study::StudySettings};
    use service::wording::count_noun;

    use crate::{
        links::StudyPage,
        request::{lead_access, parse, refuse, see_other_with},
        services,
    };

    let access = lead_access(&slug).await?;

    let source: SourceId = parse::id(&source)?;
    let own_overlap = match overlap.trim() {
        "" => None,
        text => {
            let range = StudySettings::OVERLAP;
            Some(parse::integer(text, "The number of annotators", range)?)
        }
    };

    let (services, study) = (services(), access.study.id);
    let (store, now) = (&services.store, services.context.now_ms());
    let named = store.source(study, source).await.map_err(refuse)?;
    let named = named.ok_or(Refusal::NotFound)?;

    store
        .set_own_overlap(study, &[source], own_overlap, now)
        .await
        .map_err(refuse)?;

    let number = own_overlap.unwrap_or(access.study.settings.overlap);
    let annotators = count_noun(number as usize, "annotator");
    let message = match own_overlap {
        Some(_) => format!("Source {} is now judged by {annotators}.", named.key),
        None => format!(
            "Source {} is now judged by {annotators}, as the settings say.",
            named.key
        ),
    };
    see_other_with(&StudyPage::Source(source).path(&slug), message);
    Ok(())
}
