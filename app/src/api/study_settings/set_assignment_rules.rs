//! The rules of assignment.

use leptos::prelude::*;

use crate::error::Refusal;

/// Sets how many annotators each source gets, how long they keep it, and how they are admitted.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for numbers out
/// of range.
#[server(endpoint = "set-assignment-rules")]
pub async fn set_assignment_rules(
    slug: String,
    /// The number of raters for each source.
    overlap: String,
    /// Hours after which a source is taken from an inactive annotator.
    lease_hours: String,
    /// The admission rule: `none`, `answers` or `lead`.
    qualification: String,
    /// By answers: the largest mean distance from the expected ratings, in points.
    #[server(default)]
    tolerance: String,
    /// By answers: the smallest share of correct categories, in percent.
    #[server(default)]
    categories: String,
) -> Result<(), Refusal> {
    use domain::study::StudySettings;

    use super::{fields, save_settings};
    use crate::request::{lead_access, parse};

    let access = lead_access(&slug).await?;
    let settings = StudySettings {
        overlap: fields::overlap(&overlap)?,
        lease_hours: parse::integer(&lease_hours, "The number of hours", 1..=8760)?,
        qualification: fields::qualification(&qualification, &tolerance, &categories)?,
        ..access.study.settings.clone()
    };
    save_settings(&access, &settings, "The assignment rules have been saved.").await
}
