//! A training is called off.

use leptos::prelude::*;

use crate::error::Refusal;

/// Calls the training of a study off; nothing of it is kept.
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
    super::cancel(&slug, &job, service::metric_training::TRAIN).await
}
