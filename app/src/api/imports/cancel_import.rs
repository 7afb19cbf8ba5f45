//! An import is called off.

use leptos::prelude::*;

use crate::error::Refusal;

/// Calls an import off; nothing of it is kept. One that is over stays as it is.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "cancel-import")]
pub async fn cancel_import(
    /// The study's short name.
    slug: String,
    /// The job.
    job: String,
) -> Result<(), Refusal> {
    use super::import_job;
    use crate::{
        request::{access, refuse, see_other},
        services,
    };

    let access = access(&slug).await?;
    access.require_lead()?;
    let job = import_job(&access, &job).await?;
    let services = services();
    // The worker of this process is told directly, so that it stops at its next row. That of another
    // process looks into the database.
    if let Some(progress) = services.job_monitor.progress(job.id) {
        progress.request_stop();
    } else {
        let store = &services.store;
        store
            .cancel_job(job.id, services.context.now_ms())
            .await
            .map_err(refuse)?;
    }
    see_other(&format!("/s/{slug}/import/jobs/{}", job.id));
    Ok(())
}
