//! The purpose of a passage.

use leptos::prelude::*;

use crate::error::Refusal;

/// Sets the purpose of a passage that no participant has been given yet.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an unknown
/// purpose, or where a participant has been given the passage.
#[server(endpoint = "set-passage-purpose")]
pub async fn set_passage_purpose(
    slug: String,
    passage: String,
    /// `main`, `practice` or `check`.
    purpose: String,
) -> Result<(), Refusal> {
    use domain::comprehension::PassagePurpose;

    use super::redirect_to_passage;
    use crate::{
        request::{lead_access, parse, refuse},
        services,
    };

    let access = lead_access(&slug).await?;

    let (services, id) = (services(), parse::id(&passage)?);
    let unknown = |_| Refusal::invalid("Choose what the passage is for.");
    let purpose: PassagePurpose = purpose.parse().map_err(unknown)?;

    let now = services.context.now_ms();
    let set = services
        .store
        .set_passage_purpose(access.study.id, id, purpose, now)
        .await;
    if !set.map_err(refuse)? {
        return Err(Refusal::NotFound);
    }

    redirect_to_passage(&slug, id, "The purpose of the passage has been saved.");
    Ok(())
}
