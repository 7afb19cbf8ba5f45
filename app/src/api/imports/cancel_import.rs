//! Cancelling an import.

use leptos::prelude::*;

use crate::error::Refusal;

/// Cancels an import and keeps nothing of it. A finished import does not change.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "cancel-import")]
pub async fn cancel_import(slug: String, job: String) -> Result<(), Refusal> {
    use super::import_job;
    use crate::{
        links::StudyPage,
        request::{lead_access, refuse, see_other},
        services,
    };

    let access = lead_access(&slug).await?;
    let job = import_job(&access, &job).await?;

    let services = services();

    // The worker of this process is told directly and stops at its next row. A worker of another process sees
    // the cancellation in the database.
    if let Some(progress) = services.job_monitor.progress(job.id) {
        progress.request_stop();
    } else {
        let store = &services.store;
        store
            .cancel_job(job.id, services.context.now_ms())
            .await
            .map_err(refuse)?;
    }

    see_other(&StudyPage::ImportJob(job.id).path(&slug));
    Ok(())
}
