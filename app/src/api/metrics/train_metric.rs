//! A metric learns from a study's ratings.

use leptos::prelude::*;

use crate::error::Refusal;

/// Queues a training on what was handed in, unless one is under way.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads or researches the study; [`Refusal::Invalid`] for a kind
/// of metric, or a model to go on from, that there is not.
#[server(endpoint = "train-metric")]
pub async fn train_metric(
    /// The study's short name.
    slug: String,
    /// Which metric: `learned-free`, `learned-ref`, `lens` or `cross-encoder`.
    kind: String,
    /// What it goes on from: `usual`, `nothing`, `shipped`, or the id of a model of the study.
    #[server(default)]
    start: String,
) -> Result<(), Refusal> {
    use domain::metrics::LearnedMetricKind;

    use crate::{
        api::{access, parse, refuse, see_other, services},
        metric_training::{TrainJob, TrainingStart, default_start, enqueue},
    };

    let access = access(&slug).await?;
    access.require_panel_access()?;
    let Ok(kind) = kind.parse::<LearnedMetricKind>() else {
        return Err(Refusal::invalid(
            "Choose one of the metrics that can learn.",
        ));
    };
    let (services, study) = (services(), access.study.id);
    let models = services.store.models(study).await.map_err(refuse)?;
    let start = match &start[..] {
        "" | "usual" => default_start(&models, kind),
        "nothing" => TrainingStart::Nothing,
        _ if kind.trainer().tunes_encoder() => {
            return Err(Refusal::invalid(
                "A metric whose encoder learns begins with the encoder: it goes on from no other metric.",
            ));
        }
        "shipped" if kind == LearnedMetricKind::SHIPPED => TrainingStart::Shipped,
        "shipped" => {
            return Err(Refusal::invalid(
                "The metric that is shipped works without references: one with references cannot go on \
                 from it.",
            ));
        }
        id => {
            let id = parse::id(id)?;
            let known = models
                .iter()
                .any(|it| it.id == id && it.name == kind.name());
            if !known {
                return Err(Refusal::invalid(
                    "The study has no such model of this metric.",
                ));
            }
            TrainingStart::Own(id)
        }
    };
    let at = (services.new_id, (services.now_ms)());
    let what = TrainJob { kind, start };
    let queued = enqueue(&services.store, study, what, Some(access.person.id), at).await;
    queued.map_err(refuse)?;
    see_other(&format!("/s/{slug}/metrics"));
    Ok(())
}
