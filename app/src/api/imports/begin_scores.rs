//! Importing scores of outputs.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{api::InputOptionFields, error::Refusal};

/// The direction of a metric's scores, as form fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectionField {
    pub name: String,
    /// The name of the direction.
    pub direction: String,
}

/// Queues the import of an uploaded file of scores and leads to its progress.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where the file
/// cannot be read as scores, or for an unknown direction.
#[server(endpoint = "begin-scores")]
pub async fn begin_scores(
    slug: String,
    /// The id of the file.
    uploads: String,
    /// The direction of each metric's scores.
    #[server(default)]
    directions: Vec<DirectionField>,
    /// The stated encoding, separator and sheet.
    #[server(default)]
    input: InputOptionFields,
) -> Result<(), Refusal> {
    use super::enqueue_supplementary_import;
    use crate::request::{lead_access, parse};
    use service::import::{ImportChoices, ImportKind};

    let access = lead_access(&slug).await?;

    let direction = |field: DirectionField| Ok((field.name, parse::choice(&field.direction)?));
    let directions = directions.into_iter().map(direction);
    let choices = ImportChoices {
        directions: directions.collect::<Result<_, Refusal>>()?,
        ..ImportChoices::default()
    };

    let kind = ImportKind::Scores;
    enqueue_supplementary_import(&access, &uploads, kind, choices, &input).await
}
