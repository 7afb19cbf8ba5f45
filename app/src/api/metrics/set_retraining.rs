//! When a study's metric is trained anew by itself.

use leptos::prelude::*;

use crate::error::Refusal;

/// Sets after how many new ratings the metric without references is trained anew; 0 for never.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for what is no such
/// number.
#[server(endpoint = "set-retraining")]
pub async fn set_retraining(
    /// The study's short name.
    slug: String,
    /// After how many new ratings; 0 for never.
    every: String,
) -> Result<(), Refusal> {
    use domain::study::StudySettings;

    use crate::{
        request::{access, parse, refuse, see_other},
        services,
    };

    let access = access(&slug).await?;
    access.require_lead()?;
    let settings = StudySettings {
        retrain_every: parse::integer(&every, "The number of new ratings", 0..=1_000_000)?,
        ..access.study.settings.clone()
    };
    let (services, study) = (services(), access.study.id);
    let set = services
        .store
        .set_settings(study, &settings, services.context.now_ms());
    set.await.map_err(refuse)?;
    see_other(&format!("/s/{slug}/metrics"));
    Ok(())
}
