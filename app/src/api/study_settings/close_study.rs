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
        flash::{self, Flash},
        links::StudyPage,
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
    flash::set(&Flash::Done("The study has been closed.".into()));
    see_other(&StudyPage::Overview.path(&slug));
    Ok(())
}
