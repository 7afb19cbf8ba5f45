//! Training an aligner on a study's checked edits.

use leptos::prelude::*;

use crate::error::Refusal;

/// Queues a training on the edits that annotators checked, unless one is already queued or running.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where annotators check no edits, or
/// have corrected too few, and in an arm of an experiment.
#[server(endpoint = "train-aligner")]
pub async fn train_aligner(
    /// The study's short name.
    slug: String,
) -> Result<(), Refusal> {
    use service::aligner_training::{AlignerTrainingSet, REFUSED_IN_EXPERIMENT, enqueue};

    use crate::{
        links::StudyPage,
        request::{lead_access, refuse, see_other},
        services,
    };

    let access = lead_access(&slug).await?;
    if !access.study.settings.protocol.checks_edits() {
        return Err(Refusal::invalid("Annotators of this study check no edits."));
    }

    let (services, study) = (services(), access.study.id);
    let store = &services.store;
    let experiment = store.experiment_of(study).await;
    if experiment.map_err(refuse)?.is_some() {
        return Err(Refusal::invalid(REFUSED_IN_EXPERIMENT));
    }

    let training_set = AlignerTrainingSet::load(store, study)
        .await
        .map_err(refuse)?;
    training_set.require_enough().map_err(Refusal::invalid)?;

    let queued = enqueue(store, study, Some(access.person.id), services.context);
    queued.await.map_err(refuse)?;

    see_other(&StudyPage::Quality.path(&slug));
    Ok(())
}
