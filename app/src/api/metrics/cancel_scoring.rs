//! Cancelling scoring.

use leptos::prelude::*;

use crate::error::Refusal;

/// Cancels the scoring of a study; scores so far are kept.
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
    use crate::links::StudyPage;

    super::cancel(&slug, &job, store::JobKind::Score, StudyPage::Metrics).await
}
