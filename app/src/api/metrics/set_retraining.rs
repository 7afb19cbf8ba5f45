//! Automatic retraining of a study's metric.

use leptos::prelude::*;

use crate::error::Refusal;

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
    use domain::study::StudySettings;

    use crate::{
        links::StudyPage,
        request::{lead_access, parse, refuse, see_other},
        services,
    };

    let access = lead_access(&slug).await?;

    let settings = StudySettings {
        retrain_every: parse::integer(
            &every,
            "The number of new ratings",
            StudySettings::RETRAIN_EVERY,
        )?,
        ..access.study.settings.clone()
    };

    let (services, study) = (services(), access.study.id);
    let set = services
        .store
        .set_settings(study, &settings, services.context.now_ms());
    set.await.map_err(refuse)?;

    see_other(&StudyPage::Metrics.path(&slug));
    Ok(())
}
