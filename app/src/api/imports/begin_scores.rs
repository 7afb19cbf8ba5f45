//! Scores of outputs are imported.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// Which way the scores of a metric point, as fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectionField {
    /// The metric.
    pub name: String,
    /// The direction, by its name.
    pub direction: String,
}

/// Queues the import of a file of scores that was sent in, and leads on to its progress.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where the file does
/// not open as scores, or for a direction that there is not.
#[server(endpoint = "begin-scores")]
pub async fn begin_scores(
    /// The study's short name.
    slug: String,
    /// The file's id.
    uploads: String,
    /// Which way the scores of each metric point.
    #[server(default)]
    directions: Vec<DirectionField>,
) -> Result<(), Refusal> {
    use super::enqueue_supplementary_import;
    use crate::request::{access, parse};
    use service::import::{ImportChoices, ImportKind};

    let access = access(&slug).await?;
    access.require_lead()?;
    let direction = |of: DirectionField| Ok((of.name, parse::choice(&of.direction)?));
    let directions = directions.into_iter().map(direction);
    let choices = ImportChoices {
        directions: directions.collect::<Result<_, Refusal>>()?,
        ..ImportChoices::default()
    };
    enqueue_supplementary_import(&access, &uploads, ImportKind::Scores, choices).await
}
