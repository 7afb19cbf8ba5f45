//! Training an aligner on a study's checked edits, and taking it into use.

use leptos::prelude::*;

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    super::metrics::cancel,
    super::ssr::*,
    domain::ids::ModelId,
    service::aligner_training::{
        AlignerReport, AlignerTrainingSet, REFUSED_IN_EXPERIMENT, current_edits_version, enqueue,
    },
};

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

    redirect_to(StudyPage::Quality, &slug)
}

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
    lead_access(&slug).await?;
    cancel(
        &slug,
        &job,
        store::JobKind::TrainAligner,
        StudyPage::Quality,
    )
    .await
}

/// Makes the study align with an aligner that it trained, or with the server's again. The edits of sources
/// that no annotator has open or has submitted are then computed again; all others stay.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an aligner that is not certainly
/// better than the one in use, and in an arm of an experiment.
#[server(endpoint = "adopt-aligner")]
pub async fn adopt_aligner(
    slug: String,
    model: String,
    /// `yes` to use it, `no` to stop.
    adopted: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let (model, adopted): (ModelId, _) = (parse::id(&model)?, adopted == "yes");
    let (services, study) = (services(), access.study.id);

    let aligners = services.store.aligners(study).await.map_err(refuse)?;
    let aligner = aligners.iter().find(|aligner| aligner.id == model);
    let report = AlignerReport::from_model(aligner.ok_or(Refusal::NotFound)?);

    if adopted {
        let experiment = services.store.experiment_of(study).await;
        if experiment.map_err(refuse)?.is_some() {
            return Err(Refusal::invalid(REFUSED_IN_EXPERIMENT));
        }

        let Some(report) = report.filter(AlignerReport::is_better) else {
            return Err(Refusal::invalid(
                "This aligner is not certainly better than the one that was in use, so the study cannot use it.",
            ));
        };

        let current = current_edits_version(&services.store, &aligners).await;
        if !report.is_against(current.map_err(refuse)?.as_deref()) {
            return Err(Refusal::invalid(
                "This aligner was compared with another aligner than the one in use. Train one again, so that it is \
                 compared with that.",
            ));
        }
    }

    let kind = match adopted {
        true => AuditKind::ModelAdopted,
        false => AuditKind::ModelDropped,
    };

    let store = audited(kind, Some(study), AuditSubject::Model(model));
    let changed = store.adopt_aligner(study, model, adopted, services.context.now_ms());
    require_found(changed.await.map_err(refuse)?)?;

    services.job_monitor.request_alignment_check();
    redirect_to(StudyPage::Quality, &slug)
}
