//! Training a metric on a study's ratings.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::error::Refusal;

/// Queues a training on the submitted ratings, unless one is already queued or running.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads or researches the study; [`Refusal::Invalid`] for an
/// unknown kind of metric, starting model or dimension, or for a setting that is out of its range or belongs
/// to another trainer.
#[server(endpoint = "train-metric")]
pub async fn train_metric(
    slug: String,
    /// The metric: `learned-free`, `learned-ref`, `lens` or `cross-encoder`.
    kind: String,
    /// The starting model: `usual`, `nothing`, `shipped`, or the id of a model of the study.
    #[server(default)]
    start: String,
    /// The names of the ticked dimensions, whose ratings are learned from; if empty, the study's first dimension.
    #[server(default)]
    dimensions: BTreeMap<String, String>,
    /// The training settings by name; an empty one has its default.
    #[server(default)]
    settings: BTreeMap<String, String>,
) -> Result<(), Refusal> {
    use domain::metrics::LearnedMetricKind;

    use crate::{
        links::StudyPage,
        request::{access, parse, refuse, see_other},
        services,
    };
    use service::{
        metric_training::{TrainJob, TrainingStart, default_start, enqueue},
        training_settings::ChosenSettings,
    };

    let access = access(&slug).await?;
    access.require_panel_access()?;

    let Ok(kind) = kind.parse::<LearnedMetricKind>() else {
        return Err(Refusal::invalid("Choose a metric that can be trained."));
    };
    let settings = ChosenSettings::parse(kind.trainer(), &settings).map_err(Refusal::invalid)?;

    let (services, study) = (services(), access.study.id);
    let models = services.store.models(study).await.map_err(refuse)?;
    let start = match &start[..] {
        "" | "usual" => default_start(&models, kind),
        "nothing" => TrainingStart::Nothing,
        _ if kind.trainer().tunes_encoder() => {
            return Err(Refusal::invalid(
                "This metric always starts from its pretrained encoder. It cannot continue from another metric.",
            ));
        }
        "shipped" if kind == LearnedMetricKind::SHIPPED => TrainingStart::Shipped,
        "shipped" => {
            return Err(Refusal::invalid(
                "The built-in metric works without references, so a metric that uses references cannot \
                 continue from it.",
            ));
        }
        id => {
            let id = parse::id(id)?;
            let exists = models
                .iter()
                .any(|model| model.id == id && model.name == kind.name());
            if !exists {
                return Err(Refusal::invalid(
                    "This study has no such model of this metric.",
                ));
            }
            TrainingStart::Own(id)
        }
    };

    let known = &access.study.settings.dimensions;
    let is_known = |name: &String| known.iter().any(|dimension| dimension.name == *name);
    if let Some(name) = dimensions.values().find(|name| !is_known(name)) {
        let sentence = format!("This study has no dimension called “{name}”.");
        return Err(Refusal::invalid(sentence));
    }

    let job = TrainJob {
        kind,
        start,
        dimensions: dimensions.into_values().collect(),
        settings,
    };
    let (store, person) = (&services.store, Some(access.person.id));
    let queued = enqueue(store, study, job, person, services.context).await;
    queued.map_err(refuse)?;

    see_other(&StudyPage::Metrics.path(&slug));
    Ok(())
}
