//! The study's own learned metric: trained on its ratings, compared, taken into use.

mod curve;
mod train;
mod versions;

use leptos::prelude::*;
use store::{Job, JobState, metrics::Model};

use self::{curve::Curve, train::Train, versions::ModelVersions};
use crate::{api::Access, error::Refusal, learned, metrics::under_way};

/// What is shown of learning.
pub(super) struct Learning {
    models: Vec<Model>,
    under_way: Option<Job>,
    last: Option<Job>,
    has_references: bool,
}

impl Learning {
    pub(super) async fn read(access: &Access) -> Result<Self, Refusal> {
        use crate::api::{refuse, services};

        let (store, study) = (services().store, access.study.id);
        Ok(Self {
            models: store.models(study).await.map_err(refuse)?,
            under_way: under_way(&store, study, learned::TRAIN)
                .await
                .map_err(refuse)?,
            last: learned::last(&store, study).await.map_err(refuse)?,
            has_references: store.has_references(study).await.map_err(refuse)?,
        })
    }
}

/// Training, the versions that came of it, and what more ratings bring.
#[component]
pub(super) fn Learned(access: Access, learning: Learning) -> impl IntoView {
    let Learning {
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
