//! A metric is taken from a study.

use leptos::prelude::*;

use crate::error::Refusal;

/// Takes a metric with its scores from the study. Those that are computed here can be computed again.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "remove-metric")]
pub async fn remove_metric(
    /// The study's short name.
    slug: String,
    /// The metric.
    metric: String,
) -> Result<(), Refusal> {
    use crate::{
        request::{access, parse, refuse, see_other},
        services,
    };

    let access = access(&slug).await?;
    access.require_lead()?;
    let (services, metric) = (services(), parse::id(&metric)?);
    let now = services.context.now_ms();
    let removed = services.store.remove_metric(access.study.id, metric, now);
    if removed.await.map_err(refuse)? {
        see_other(&format!("/s/{slug}/metrics"));
        Ok(())
    } else {
        Err(Refusal::NotFound)
    }
}
