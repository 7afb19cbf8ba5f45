//! Items that watch over the quality of the answers.

use leptos::prelude::*;

use crate::error::Refusal;

/// Sets which quality-control items sources get: one source in so many, 0 for none.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for numbers out
/// of range.
#[server(endpoint = "set-quality-control")]
pub async fn set_quality_control(
    /// The study's short name.
    slug: String,
    /// One source in so many gets an unchanged copy.
    copy_every: String,
    /// One source in so many gets an output with its words scrambled.
    scrambled_every: String,
    /// One source in so many gets one of its outputs once more.
    repeated_every: String,
) -> Result<(), Refusal> {
    use domain::study::Settings;

    use super::{fields, save_settings};
    use crate::api::access;

    let access = access(&slug).await?;
    access.leads()?;
    let quality_control = fields::quality_control(&copy_every, &scrambled_every, &repeated_every)?;
    let settings = Settings {
        quality_control,
        ..access.study.settings.clone()
    };
    save_settings(&access, &settings, "The quality-control items are saved.").await
}
