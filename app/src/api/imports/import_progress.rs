//! How far a job is.

use leptos::prelude::*;

use crate::error::Refusal;

/// How far a job is, in percent of its bytes or outputs; 100 once it is over, and 0 while it waits; then
/// a space and the last that its worker said of it, if anything. As text: a type of its own would cost the
/// browser's part more than it says.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads or researches the study.
#[server(endpoint = "import-progress")]
pub async fn import_progress(
    /// The study's short name.
    slug: String,
    /// The job.
    job: String,
) -> Result<String, Refusal> {
    use super::{percent, study_job};
    use crate::request::access;

    let access = access(&slug).await?;
    access.require_panel_access()?;
    let job = study_job(&access, &job).await?;
    Ok(if job.state.is_over() {
        "100".to_owned()
    } else {
        let said = job.log.lines().last().unwrap_or_default();
        format!("{} {said}", percent(&job))
    })
}
