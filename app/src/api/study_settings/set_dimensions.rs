//! The rating dimensions of a study.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// One dimension as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DimensionField {
    /// The name; empty for none.
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub low: String,
    #[serde(default)]
    pub high: String,
    /// The control: `slider`, `hidden` (a slider without its number) or `levels`; empty for a slider.
    #[serde(default)]
    pub control: String,
    /// The label of a slider's low end; empty for the usual one.
    #[serde(default)]
    pub low_label: String,
    /// The label of a slider's high end; empty for the usual one.
    #[serde(default)]
    pub high_label: String,
    /// The labels of the levels, lowest first, one per line.
    #[serde(default)]
    pub levels: String,
}

/// Sets the dimensions that outputs are rated on. Existing ratings do not change.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for invalid names
/// or scales.
#[server(endpoint = "set-dimensions")]
pub async fn set_dimensions(
    slug: String,
    /// The dimensions in order; those without a name are left out.
    dimensions: Vec<DimensionField>,
) -> Result<(), Refusal> {
    use domain::study::StudySettings;

    use super::{fields, redirect_to_settings, store_settings};
    use crate::{links::StudyPage, request::lead_access};

    let access = lead_access(&slug).await?;
    let dimensions = fields::dimensions(&dimensions)?;

    let settings = StudySettings {
        dimensions,
        ..access.study.settings.clone()
    };
    fields::check_groups(&settings)?;

    store_settings(access.study.id, &settings).await?;

    let message = "The dimensions have been saved.";
    redirect_to_settings(StudyPage::ScaleSettings, &slug, message);
    Ok(())
}
