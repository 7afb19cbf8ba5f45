//! What a passage is there for.

use leptos::prelude::*;

use crate::error::Refusal;

/// Says what a passage is there for, until somebody has been given it.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for no purpose, or
/// where somebody has been given the passage.
#[server(endpoint = "set-passage-purpose")]
pub async fn set_passage_purpose(
    /// The study's short name.
    slug: String,
    /// Which.
    passage: String,
    /// `main`, `practice` or `check`.
    purpose: String,
) -> Result<(), Refusal> {
    use domain::comprehension::PassagePurpose;

    use super::redirect_to_passage;
    use crate::{
        request::{access, parse, refuse},
        services,
    };

    let access = access(&slug).await?;
    access.require_lead()?;
    let (services, id) = (services(), parse::id(&passage)?);
    let unknown = |_| Refusal::invalid("Choose what the passage is there for.");
    let purpose: PassagePurpose = purpose.parse().map_err(unknown)?;
    let now = services.context.now_ms();
    let set = services
        .store
        .set_passage_purpose(access.study.id, id, purpose, now)
        .await;
    if !set.map_err(refuse)? {
        return Err(Refusal::NotFound);
    }
    redirect_to_passage(&slug, id, "What the passage is there for is saved.");
    Ok(())
}
