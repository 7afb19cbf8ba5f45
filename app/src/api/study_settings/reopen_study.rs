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
        .reopen_study(access.study.id, services.context.now_ms())
        .await
        .map_err(refuse)?;
    flash::set(&Flash::Done("The study is open again.".into()));
    see_other(&StudyPage::Overview.path(&slug));
    Ok(())
}
