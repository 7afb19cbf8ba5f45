//! Metrics are chosen, and score what lacks a score.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::error::Refusal;

/// Gives the study the metrics that were ticked and scores its outputs by all that it has; what is
/// scored already is not scored again.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads or researches the study; [`Refusal::Invalid`] for
/// a metric that there is not.
#[server(endpoint = "score-outputs")]
pub async fn score_outputs(
    /// The study's short name.
    slug: String,
    /// The metrics that were ticked, by name.
    #[server(default)]
    metrics: BTreeMap<String, String>,
) -> Result<(), Refusal> {
    use domain::metrics::TextMetric;

    use crate::{
        api::{access, refuse, see_other, services},
        metrics::{choose, enqueue},
    };

    let access = access(&slug).await?;
    access.reads()?;
    if let Some(name) = metrics
        .keys()
        .find(|name| TextMetric::named(name).is_none())
    {
        let sentence = format!("There is no metric called “{name}”.");
        return Err(Refusal::invalid(sentence));
    }
    let ticked = |metric: &TextMetric| metrics.contains_key(metric.name());
    let (services, study) = (services(), access.study.id);
    let at = (services.new_id, (services.now_ms)());
    for metric in TextMetric::ALL.into_iter().filter(ticked) {
        let chosen = choose(&services.store, study, metric, at).await;
        chosen.map_err(refuse)?;
    }
    let queued = enqueue(&services.store, study, at).await;
    queued.map_err(refuse)?;
    services.at_work.wake();
    see_other(&format!("/s/{slug}/metrics"));
    Ok(())
}
