//! Letting an annotator begin.

use leptos::prelude::*;

use crate::error::Refusal;

/// Admits an annotator to the sources of the study, whatever their answers so far.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`]
/// where they are admitted, have left, or are no annotator.
#[server(endpoint = "admit")]
pub async fn admit(
    /// The study's short name.
    slug: String,
    /// The annotator.
    person: String,
) -> Result<(), Refusal> {
    use domain::ids::PersonId;

    use super::redirect_to_members;
    use crate::{
        request::{access, parse, refuse},
        services,
    };

    let access = access(&slug).await?;
    access.require_lead()?;
    let person: PersonId = parse::id(&person)?;
    let services = services();
    let (study, now) = (access.study.id, services.context.now_ms());
    let admitted = services.store.admit(study, person, now).await;
    if !admitted.map_err(refuse)? {
        return Err(Refusal::invalid(
            "Nobody is admitted: they are already, have left, or are no annotator of the study. \
             Load the page anew.",
        ));
    }
    redirect_to_members(&slug, true, "The annotator is admitted.")
}
