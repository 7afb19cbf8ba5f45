//! The order of training items.

use leptos::prelude::*;

use crate::error::Refusal;

/// Moves a source by one among those that are there for the same.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`]
/// where the source is at the end already or is none of the study's.
#[server(endpoint = "move-source")]
pub async fn move_source(
    /// The study's short name.
    slug: String,
    /// The source.
    source: String,
    /// `up` or `down`.
    direction: String,
) -> Result<(), Refusal> {
    use domain::ids::SourceId;

    use crate::{
        request::{access, parse, refuse, see_other},
        services,
    };

    let access = access(&slug).await?;
    access.require_lead()?;
    let source: SourceId = parse::id(&source)?;
    let up = match direction.as_str() {
        "up" => true,
        "down" => false,
        _ => return Err(Refusal::invalid("A source is moved up or down.")),
    };
    let services = services();
    let (study, now) = (access.study.id, services.context.now_ms());
    let moved = services
        .store
        .move_source(study, source, up, now)
        .await
        .map_err(refuse)?;
    if !moved {
        return Err(Refusal::invalid(
            "It stays where it is: it is at the end already, or no longer there. Load the page anew.",
        ));
    }
    see_other(&format!("/s/{slug}/training"));
    Ok(())
}
