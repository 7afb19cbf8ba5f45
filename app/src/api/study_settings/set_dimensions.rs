//! What outputs are rated on.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// One dimension as a form holds it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DimensionField {
    /// Its name; empty where there is none.
    #[serde(default)]
    pub name: String,
    /// The lowest rating.
    #[serde(default)]
    pub low: String,
    /// The highest rating.
    #[serde(default)]
    pub high: String,
}

/// Sets what outputs are rated on. Ratings that are there stay as they are.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for names or
/// scales that do not fit.
#[server(endpoint = "set-dimensions")]
pub async fn set_dimensions(
    /// The study's short name.
    slug: String,
    /// The dimensions in order; those without a name are left out.
    dimensions: Vec<DimensionField>,
) -> Result<(), Refusal> {
    use domain::study::StudySettings;

    use super::{fields, save_settings};
    use crate::request::access;

    let access = access(&slug).await?;
    access.require_lead()?;
    let dimensions = fields::dimensions(&dimensions)?;
    let settings = StudySettings {
        dimensions,
        ..access.study.settings.clone()
    };
    save_settings(&access, &settings, "The dimensions are saved.").await
}
