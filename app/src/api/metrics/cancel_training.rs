//! Cancelling a training.

use leptos::prelude::*;

use crate::error::Refusal;

/// Cancels the training of a study; nothing of it is kept.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads or researches the study.
#[server(endpoint = "cancel-training")]
pub async fn cancel_training(
    /// The study's short name.
    slug: String,
    /// The job.
    job: String,
) -> Result<(), Refusal> {
    use crate::links::StudyPage;

    super::cancel(&slug, &job, store::JobKind::Train, StudyPage::Metrics).await
}
