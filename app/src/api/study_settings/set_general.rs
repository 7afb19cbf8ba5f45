//! The name of a study and its rules of assignment.
#![expect(clippy::too_many_arguments, reason = "the fields of one form")]

use leptos::prelude::*;

use crate::error::Refusal;

/// Sets the study's name, how many annotators each source gets, which source comes next, how long annotators
/// keep it, and how they are admitted.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an invalid name,
/// numbers out of range, and a qualification that crowd raters can fail without a code for it.
#[server(endpoint = "set-general")]
pub async fn set_general(
    slug: String,
    /// The displayed name.
    name: String,
    /// The number of raters for each source.
    overlap: String,
    /// Hours after which a source is taken from an inactive annotator.
    lease_hours: String,
    /// The admission rule: `none`, `answers` or `lead`.
    qualification: String,
    /// With `answers`: the largest mean distance from the expected ratings, in points.
    #[server(default)]
    tolerance: String,
    /// With `answers`: the smallest share of correct categories, in percent.
    #[server(default)]
    categories: String,
    /// The order of sources that equally need raters: `as-imported` or `where-uncertain`; empty for no change.
    #[server(default)]
    source_order: String,
) -> Result<(), Refusal> {
    use domain::study::StudySettings;

    use super::{fields, redirect_to_settings};
    use crate::{
        api::crowd::require_codes,
        links::StudyPage,
        request::{lead_access, parse, refuse},
        services,
    };

    let access = lead_access(&slug).await?;
    let name = parse::line(&name, "The name", 120)?;

    let settings = StudySettings {
        overlap: fields::overlap(&overlap, &access.study.settings)?,
        lease_hours: parse::integer(
            &lease_hours,
            "The number of hours",
            StudySettings::LEASE_HOURS,
        )?,
        qualification: fields::qualification(&qualification, &tolerance, &categories)?,
        source_order: match source_order.as_str() {
            "" => access.study.settings.source_order,
            order => parse::choice(order)?,
        },
        ..access.study.settings.clone()
    };

    if settings.qualification != access.study.settings.qualification {
        require_codes(&settings)?;
    }

    let services = services();
    let (study, now) = (access.study.id, services.context.now_ms());
    services
        .store
        .set_name_and_settings(study, &name, &settings, now)
        .await
        .map_err(refuse)?;

    redirect_to_settings(StudyPage::Settings, &slug, "The settings have been saved.");
    Ok(())
}
