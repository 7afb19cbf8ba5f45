//! Taking a study's own aligner into use or out of it.

use leptos::prelude::*;

use crate::error::Refusal;

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
    use domain::ids::ModelId;
    use service::aligner_training::{AlignerReport, REFUSED_IN_EXPERIMENT, current_edits_version};
    use store::audit::{AuditKind, AuditSubject};

    use crate::{
        links::StudyPage,
        request::{audited, lead_access, parse, refuse, see_other},
        services,
    };

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
    if !changed.await.map_err(refuse)? {
        return Err(Refusal::NotFound);
    }

    services.job_monitor.request_alignment_check();
    see_other(&StudyPage::Quality.path(&slug));
    Ok(())
}
