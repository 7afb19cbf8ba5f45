//! How long a study keeps personal data.

use leptos::prelude::*;

use crate::error::Refusal;

/// Sets how long the study keeps personal data after it was closed.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for another choice.
#[server(endpoint = "set-retention")]
pub async fn set_retention(
    slug: String,
    /// The period's name.
    retention: String,
) -> Result<(), Refusal> {
    use domain::study::StudySettings;

    use super::save_settings;
    use crate::request::{lead_access, parse};

    let access = lead_access(&slug).await?;
    let settings = StudySettings {
        retention: parse::choice(&retention)?,
        ..access.study.settings.clone()
    };
    let message = "How long personal data is kept has been saved.";
    save_settings(&access, &settings, message).await
}
