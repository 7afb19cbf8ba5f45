//! The order of training items.

use leptos::prelude::*;

use crate::error::Refusal;

/// Moves a source by one among the training items of the same purpose.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where the source is
/// already at the end or does not belong to the study.
#[server(endpoint = "move-source")]
pub async fn move_source(
    slug: String,
    source: String,
    /// `up` or `down`.
    direction: String,
) -> Result<(), Refusal> {
    use domain::ids::SourceId;

    use crate::{
        links::StudyPage,
        request::{lead_access, parse, refuse, see_other},
        services,
    };

    let access = lead_access(&slug).await?;

    let source: SourceId = parse::id(&source)?;
    let up = match direction.as_str() {
        "up" => true,
        "down" => false,
        _ => {
            return Err(Refusal::invalid(
                "Choose whether to move the source up or down.",
            ));
        }
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
            "The source was not moved: it is already at the end, or no longer in the list. Reload the page.",
        ));
    }

    see_other(&StudyPage::Training.path(&slug));
    Ok(())
}
