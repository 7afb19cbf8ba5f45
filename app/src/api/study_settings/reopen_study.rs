//! Reopening a closed study.

use leptos::prelude::*;

use crate::error::Refusal;

/// Opens a closed study again.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "reopen-study")]
pub async fn reopen_study(slug: String) -> Result<(), Refusal> {
    use crate::{
        links::StudyPage,
        request::{lead_access, refuse, see_other_with},
        services,
    };

    let access = lead_access(&slug).await?;
    let services = services();
    services
        .store
        .reopen_study(access.study.id, services.context.now_ms())
        .await
        .map_err(refuse)?;
    see_other_with(&StudyPage::Overview.path(&slug), "The study is open again.");
    Ok(())
}
