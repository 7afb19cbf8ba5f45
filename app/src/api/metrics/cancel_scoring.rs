//! Scoring is called off.

use leptos::prelude::*;

use crate::error::Refusal;

/// Calls the scoring of a study off; scores so far are kept.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads or researches the study.
#[server(endpoint = "cancel-scoring")]
pub async fn cancel_scoring(
    /// The study's short name.
    slug: String,
    /// The job.
    job: String,
) -> Result<(), Refusal> {
    use crate::{
        api::{access, refuse, see_other, services, study_job},
        metrics::SCORE,
    };

    let access = access(&slug).await?;
    access.reads()?;
    let job = study_job(&access, &job).await?;
    if job.kind != SCORE {
        return Err(Refusal::NotFound);
    }
    let services = services();
    let cancelled = services.store.cancel_job(job.id, (services.now_ms)()).await;
    cancelled.map_err(refuse)?;
    see_other(&format!("/s/{slug}/metrics"));
    Ok(())
}
