//! It is said which way imported scores point.

use leptos::prelude::*;

use crate::error::Refusal;

/// Says which way the scores of an imported metric point; the scores stay as they are.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::NotFound`] for a metric that is
/// not imported, of which the direction is known.
#[server(endpoint = "set-metric-direction")]
pub async fn set_metric_direction(
    /// The study's short name.
    slug: String,
    /// The metric.
    metric: String,
    /// The direction, by its name.
    direction: String,
) -> Result<(), Refusal> {
    use crate::{
        request::{access, parse, refuse, see_other},
        services,
    };

    let access = access(&slug).await?;
    access.require_lead()?;
    let (services, metric) = (services(), parse::id(&metric)?);
    let direction = parse::choice(&direction)?;
    let now = services.context.now_ms();
    let store = &services.store;
    let set = store.set_metric_direction(access.study.id, metric, direction, now);
    if set.await.map_err(refuse)? {
        see_other(&format!("/s/{slug}/metrics"));
        Ok(())
    } else {
        Err(Refusal::NotFound)
    }
}
