//! The progress of a job.

use leptos::prelude::*;

use crate::error::Refusal;

/// The progress of a job in percent of its bytes or outputs (100 once it is over, 0 while it is queued), then
/// a space and its worker's last message, if any. `JobProgress` shows it.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads or researches the study.
#[server(endpoint = "import-progress")]
pub async fn import_progress(slug: String, job: String) -> Result<String, Refusal> {
    use super::{percent, study_job};
    use crate::request::access;

    let access = access(&slug).await?;
    access.require_panel_access()?;

    let job = study_job(&access, &job).await?;

    Ok(if job.state.is_over() {
        "100".to_owned()
    } else {
        let message = job.log.lines().last().unwrap_or_default();
        format!("{} {message}", percent(&job))
    })
}
