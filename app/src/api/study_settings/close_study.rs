//! Closing a study.

use leptos::prelude::*;

use crate::error::Refusal;

/// Closes a study: nothing is given to annotators any more, and no answer changes.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "close-study")]
pub async fn close_study(
    /// The study's short name.
    slug: String,
) -> Result<(), Refusal> {
    use crate::{
        flash::{self, Flash},
        request::{access, refuse, see_other},
        services,
    };

    let access = access(&slug).await?;
    access.require_lead()?;
    let services = services();
    services
        .store
        .close_study(access.study.id, services.context.now_ms())
        .await
        .map_err(refuse)?;
    flash::set(&Flash::Done("The study is closed.".into()));
    see_other(&format!("/s/{slug}"));
    Ok(())
}
