//! Choosing metrics and scoring outputs.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::error::Refusal;

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
    use domain::metrics::TextMetric;

    use crate::{
        links::StudyPage,
        request::{access, refuse, see_other},
        services,
    };
    use service::metrics::{choose, choose_offered, enqueue};

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

    let queued = enqueue(&services.store, study, context).await;
    queued.map_err(refuse)?;
    services.job_monitor.wake();
    see_other(&StudyPage::Metrics.path(&slug));
    Ok(())
}
