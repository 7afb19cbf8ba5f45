//! The study's own learned metric: trained on its ratings, compared, taken into use.

mod curve;
mod train;
mod versions;

use leptos::prelude::*;
use store::{Job, JobState, metrics::StudyModel};

use self::{curve::Curve, train::Train, versions::ModelVersions};
use crate::{error::Refusal, request::RequestAccess};
use service::{metric_training, metrics::running_job};

/// What is shown of learning.
pub(super) struct TrainingPanel {
    models: Vec<StudyModel>,
    under_way: Option<Job>,
    last: Option<Job>,
    has_references: bool,
}

impl TrainingPanel {
    pub(super) async fn load(access: &RequestAccess) -> Result<Self, Refusal> {
        use crate::{request::refuse, services};

        let (store, study) = (services().store, access.study.id);
        Ok(Self {
            models: store.models(study).await.map_err(refuse)?,
            under_way: running_job(&store, study, metric_training::TRAIN)
                .await
                .map_err(refuse)?,
            last: metric_training::last_training(&store, study)
                .await
                .map_err(refuse)?,
            has_references: store.has_references(study).await.map_err(refuse)?,
        })
    }
}

/// Training, the versions that came of it, and what more ratings bring.
#[component]
pub(super) fn Learned(access: RequestAccess, learning: TrainingPanel) -> impl IntoView {
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
            <h2 id="learned">"A metric that learns"</h2>
            <p class="soft">
                "From the ratings that were handed in. One source in five is held out, always the same ones: \
                 on these a new version is compared with the one in use, and taken by itself only if it is \
                 better for certain, which takes ten of them or more, or if none was in use."
            </p>
            {failed}
            <Train access=access.clone() models=models.clone() under_way has_references/>
            <ModelVersions access models/>
            {newest.map(|model| view! { <Curve model/> })}
        </section>
    }
}
