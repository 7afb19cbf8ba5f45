//! Closing a study.

use leptos::prelude::*;

use crate::error::Refusal;

/// Closes a study: annotators get no more sources, and answers can no longer change.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "close-study")]
pub async fn close_study(slug: String) -> Result<(), Refusal> {
    use crate::{
        links::StudyPage,
        request::{lead_access, refuse, see_other_with},
        services,
    };

    let access = lead_access(&slug).await?;
    let services = services();
    services
        .store
        .close_study(access.study.id, services.context.now_ms())
        .await
        .map_err(refuse)?;
    see_other_with(
        &StudyPage::Overview.path(&slug),
        "The study has been closed.",
    );
    Ok(())
}
