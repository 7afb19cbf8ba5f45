//! Leaving a study as an annotator.

use leptos::prelude::*;

use crate::error::Refusal;

/// Notes that the annotator withdraws: what they handed in does not count any more.
///
/// # Errors
/// [`Refusal::NotAllowed`] for others than annotators, [`Refusal::Invalid`] unless they say that
/// they are sure.
#[server(endpoint = "withdraw")]
pub async fn withdraw(
    /// The study's short name.
    slug: String,
    /// `yes` where they are.
    #[server(default)]
    sure: String,
) -> Result<(), Refusal> {
    use crate::{
        request::{access, refuse, see_other},
        services,
    };

    let access = access(&slug).await?;
    access.require_annotator()?;
    if sure != "yes" {
        return Err(Refusal::invalid("Tick the box to say that you are sure."));
    }
    let services = services();
    let now = services.context.now_ms();
    services
        .store
        .withdraw(access.study.id, access.person.id, now)
        .await
        .map_err(refuse)?;
    see_other(&format!("/s/{}/work", access.study.slug));
    Ok(())
}
