//! The study's own trained metrics: training, comparison and use.

mod curve;
mod settings;
mod train;
mod versions;

use leptos::prelude::*;
use store::{Job, JobKind, JobState, metrics::StudyModel};

use self::{curve::Curve, train::Train, versions::ModelVersions};
use app::{error::Refusal, request::RequestAccess};
use service::{metric_training, metrics::running_job};

/// The state of training.
pub(super) struct TrainingPanel {
    models: Vec<StudyModel>,
    under_way: Option<Job>,
    last: Option<Job>,
    has_references: bool,
}

impl TrainingPanel {
    pub(super) async fn load(access: &RequestAccess) -> Result<Self, Refusal> {
        use app::{request::refuse, services};

        let (store, study) = (services().store, access.study.id);
        Ok(Self {
            models: store.models(study).await.map_err(refuse)?,
            under_way: running_job(&store, study, JobKind::Train)
                .await
                .map_err(refuse)?,
            last: metric_training::last_training(&store, study, JobKind::Train)
                .await
                .map_err(refuse)?,
            has_references: store.has_references(study).await.map_err(refuse)?,
        })
    }
}

/// Training, the trained versions, and the learning curve.
#[component]
pub(super) fn ModelVersionsSection(
    access: RequestAccess,
    learning: TrainingPanel,
) -> impl IntoView {
    let TrainingPanel {
        models,
        under_way,
        last,
        has_references,
    } = learning;
    let failed = last.filter(|job| job.state == JobState::Failed && under_way.is_none());
    let failed = failed.and_then(|job| job.failure).map(|why| {
        view! { <p class="caution">{format!("The last training ended without a model. {why}")}</p> }
    });
    let newest = models.first().cloned();

    view! {
        <section aria-labelledby="learned">
            <h2 id="learned">"Train a metric"</h2>
            <p class="soft">
                "Metrics can learn from the submitted ratings. One source in five is held out, always the \
                 same ones. A new version is compared on them with the one in use, and replaces it automatically \
                 only if it is significantly better, which takes at least ten of them, or if none was in use."
            </p>
            {failed}
            <Train access=access.clone() models=models.clone() under_way has_references/>
            <ModelVersions access models/>
            {newest.map(|model| view! { <Curve model/> })}
        </section>
    }
}
