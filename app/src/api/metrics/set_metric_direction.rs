//! The direction of imported scores.

use leptos::prelude::*;

use crate::error::Refusal;

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
    use crate::{
        links::StudyPage,
        request::{lead_access, parse, refuse, see_other},
        services,
    };

    let access = lead_access(&slug).await?;

    let (services, metric) = (services(), parse::id(&metric)?);
    let direction = parse::choice(&direction)?;
    let now = services.context.now_ms();

    let store = &services.store;
    let set = store.set_metric_direction(access.study.id, metric, direction, now);

    if set.await.map_err(refuse)? {
        see_other(&StudyPage::Metrics.path(&slug));
        Ok(())
    } else {
        Err(Refusal::NotFound)
    }
}
