//! Removing a metric from a study.

use leptos::prelude::*;

use crate::error::Refusal;

/// Removes a metric and its scores from the study. Metrics that this server computes can be added again.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "remove-metric")]
pub async fn remove_metric(slug: String, metric: String) -> Result<(), Refusal> {
    use domain::ids::MetricId;
    use store::audit::{AuditKind, AuditSubject};

    use crate::{
        links::StudyPage,
        request::{audited, lead_access, parse, refuse, see_other},
        services,
    };

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

    if removed.map_err(refuse)? {
        see_other(&StudyPage::Metrics.path(&slug));
        Ok(())
    } else {
        Err(Refusal::NotFound)
    }
}
