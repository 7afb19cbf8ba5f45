//! Cancelling the training of an aligner.

use leptos::prelude::*;

use crate::error::Refusal;

/// Cancels the training of a study's aligner; nothing of it is kept.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "cancel-aligner-training")]
pub async fn cancel_aligner_training(
    /// The study's short name.
    slug: String,
    /// The job.
    job: String,
) -> Result<(), Refusal> {
    use crate::{api::metrics::cancel, links::StudyPage, request::lead_access};

    lead_access(&slug).await?;
    cancel(
        &slug,
        &job,
        store::JobKind::TrainAligner,
        StudyPage::Quality,
    )
    .await
}
