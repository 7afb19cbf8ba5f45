//! Removing a metric from a study.

use leptos::prelude::*;

use crate::error::Refusal;

/// Removes a metric and its scores from the study. Metrics that this server computes can be added again.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "remove-metric")]
pub async fn remove_metric(slug: String, metric: String) -> Result<(), Refusal> {
    use crate::{
        links::StudyPage,
        request::{lead_access, parse, refuse, see_other},
        services,
    };

    let access = lead_access(&slug).await?;
    let (services, metric) = (services(), parse::id(&metric)?);
    let now = services.context.now_ms();
    let removed = services.store.remove_metric(access.study.id, metric, now);
    if removed.await.map_err(refuse)? {
        see_other(&StudyPage::Metrics.path(&slug));
        Ok(())
    } else {
        Err(Refusal::NotFound)
    }
}
