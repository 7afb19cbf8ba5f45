//! Scoring a study's outputs and training on its ratings.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    super::imports::study_job,
    super::ssr::*,
    domain::{
        ids::MetricId,
        metrics::{LearnedMetricKind, TextMetric},
    },
    service::{
        metric_training::{TrainJob, TrainingStart, default_start, enqueue as enqueue_training},
        metrics::{choose, choose_offered, enqueue as enqueue_scoring},
        training_settings::ChosenSettings,
    },
    store::JobKind,
};

/// Adds the ticked metrics to the study and scores its outputs with all of its metrics; existing scores
/// are not computed again.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads or researches the study; [`Refusal::Invalid`] for
/// an unknown metric.
#[server(endpoint = "score-outputs")]
pub async fn score_outputs(
    slug: String,
    /// The names of the ticked metrics.
    #[server(default)]
    metrics: BTreeMap<String, String>,
) -> Result<(), Refusal> {
    let access = access(&slug).await?;
    access.require_panel_access()?;

    let services = services();
    let offered = |name: &String| {
        services
            .offered_metrics
            .iter()
            .any(|offer| offer.name == name)
    };
    let is_known = |name: &String| TextMetric::from_name(name).is_some() || offered(name);
    if let Some(name) = metrics.keys().find(|name| !is_known(name)) {
        let sentence = format!("There is no metric called “{name}”.");
        return Err(Refusal::invalid(sentence));
    }

    // Offered metrics come first: the server may be unable to compute them.
    let study = access.study.id;
    let context = services.context;
    let offers = services.offered_metrics.iter();
    for offer in offers.filter(|offer| metrics.contains_key(offer.name)) {
        let chosen = choose_offered(&services.store, study, offer, context).await;
        chosen.map_err(refuse)?;
    }

    let ticked = |metric: &TextMetric| metrics.contains_key(metric.name());
    for metric in TextMetric::ALL.into_iter().filter(ticked) {
        let chosen = choose(&services.store, study, metric, context).await;
        chosen.map_err(refuse)?;
    }

    let queued = enqueue_scoring(&services.store, study, context).await;
    queued.map_err(refuse)?;
    services.job_monitor.wake();
    redirect_to(StudyPage::Metrics, &slug)
}

/// Cancels the scoring of a study; scores so far are kept.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads or researches the study.
#[server(endpoint = "cancel-scoring")]
pub async fn cancel_scoring(
    /// The study's short name.
    slug: String,
    /// The job.
    job: String,
) -> Result<(), Refusal> {
    cancel(&slug, &job, JobKind::Score, StudyPage::Metrics).await
}

/// Sets the direction of an imported metric's scores; the scores themselves stay as they are.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::NotFound`] for a metric that is
/// not imported, whose direction is fixed.
#[server(endpoint = "set-metric-direction")]
pub async fn set_metric_direction(
    slug: String,
    metric: String,
    /// The name of the direction.
    direction: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let (services, metric) = (services(), parse::id(&metric)?);
    let direction = parse::choice(&direction)?;
    let now = services.context.now_ms();

    let store = &services.store;
    let set = store.set_metric_direction(access.study.id, metric, direction, now);

    require_found(set.await.map_err(refuse)?)?;
    redirect_to(StudyPage::Metrics, &slug)
}

/// Removes a metric and its scores from the study. Metrics that this server computes can be added again.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "remove-metric")]
pub async fn remove_metric(slug: String, metric: String) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let (services, study) = (services(), access.study.id);
    let (id, now): (MetricId, _) = (parse::id(&metric)?, services.context.now_ms());

    let metrics = services.store.metrics(study).await.map_err(refuse)?;
    let name = metrics.into_iter().find(|metric| metric.id == id);
    let subject = name.map_or(AuditSubject::Nothing, |metric| {
        AuditSubject::Named(metric.name)
    });

    let removed = audited(AuditKind::MetricRemoved, Some(study), subject)
        .remove_metric(study, id, now)
        .await;

    require_found(removed.map_err(refuse)?)?;
    redirect_to(StudyPage::Metrics, &slug)
}

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
    let queued = enqueue_training(store, study, job, person, services.context).await;
    queued.map_err(refuse)?;

    redirect_to(StudyPage::Metrics, &slug)
}

/// Cancels the training of a study; nothing of it is kept.
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
    cancel(&slug, &job, JobKind::Train, StudyPage::Metrics).await
}

/// Sets the number of new ratings after which the metric without references is retrained; 0 for never.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an invalid number.
#[server(endpoint = "set-retraining")]
pub async fn set_retraining(
    slug: String,
    /// The number of new ratings; 0 for never.
    every: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let settings = StudySettings {
        retrain_every: parse::integer(
            &every,
            "The number of new ratings",
            StudySettings::RETRAIN_EVERY,
        )?,
        ..access.study.settings.clone()
    };

    store_settings(access.study.id, &settings).await?;

    redirect_to(StudyPage::Metrics, &slug)
}

/// Takes a model into use, so that the next training continues from it and is compared with it. Or takes it
/// out of use, in favour of the one before it or the shipped one.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads or researches the study.
#[server(endpoint = "adopt-model")]
pub async fn adopt_model(
    slug: String,
    model: String,
    /// `yes` to use it, `no` to stop.
    adopted: String,
) -> Result<(), Refusal> {
    let access = access(&slug).await?;
    access.require_panel_access()?;

    let (model, adopted) = (parse::id(&model)?, adopted == "yes");
    let (study, now) = (access.study.id, services().context.now_ms());
    let kind = match adopted {
        true => AuditKind::ModelAdopted,
        false => AuditKind::ModelDropped,
    };

    let store = audited(kind, Some(study), AuditSubject::Model(model));
    let changed = store.adopt_model(study, model, adopted, now);

    require_found(changed.await.map_err(refuse)?)?;
    redirect_to(StudyPage::Metrics, &slug)
}

/// Cancels a job of that kind, and leads back to the page.
#[cfg(feature = "ssr")]
pub(super) async fn cancel(
    slug: &str,
    job: &str,
    kind: JobKind,
    page: StudyPage<'_>,
) -> Result<(), Refusal> {
    let access = access(slug).await?;
    access.require_panel_access()?;

    let job = study_job(&access, job).await?;
    if job.kind != kind {
        return Err(Refusal::NotFound);
    }

    let (store, now) = store_and_now();
    let cancelled = store.cancel_job(job.id, now).await;
    cancelled.map_err(refuse)?;

    redirect_to(page, slug)
}
