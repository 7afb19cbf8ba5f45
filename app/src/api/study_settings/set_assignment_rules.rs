//! Who gets what, and for how long.

use leptos::prelude::*;

use crate::error::Refusal;

/// Sets how many annotators each source gets, how long they keep it, and how they are admitted.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for numbers out
/// of range.
#[server(endpoint = "set-assignment-rules")]
pub async fn set_assignment_rules(
    /// The study's short name.
    slug: String,
    /// How many raters each source gets.
    overlap: String,
    /// How long a source stays with an annotator who does nothing, in hours.
    lease_hours: String,
    /// How annotators are admitted: `none`, `answers` or `lead`.
    qualification: String,
    /// By answers: how far their ratings may lie from the expected ones in the mean, in points.
    #[server(default)]
    tolerance: String,
    /// By answers: how many of the categories must be right, in percent.
    #[server(default)]
    categories: String,
) -> Result<(), Refusal> {
    use domain::study::StudySettings;

    use super::{fields, save_settings};
    use crate::request::{access, parse};

    let access = access(&slug).await?;
    access.require_lead()?;
    let settings = StudySettings {
        overlap: fields::overlap(&overlap)?,
        lease_hours: parse::integer(&lease_hours, "The number of hours", 1..=8760)?,
        qualification: fields::qualification(&qualification, &tolerance, &categories)?,
        ..access.study.settings.clone()
    };
    save_settings(&access, &settings, "The rules of assignment are saved.").await
}
