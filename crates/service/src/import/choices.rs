use domain::{ids::SourceId, metrics::ScoreDirection};
use serde::{Deserialize, Serialize};

/// The user's choices for an import of references or scores.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportChoices {
    /// For scores: the direction of each metric, by name. Directions of other metrics are guessed from their names.
    #[serde(default)]
    pub directions: Vec<(String, ScoreDirection)>,
    /// For references: sources whose text is not in the file, each with the line of the text that is accepted
    /// instead.
    #[serde(default)]
    pub accepted: Vec<(SourceId, u64)>,
}

impl ImportChoices {
    /// The direction of the scores of the metric with this name.
    #[must_use]
    pub fn direction(&self, name: &str) -> ScoreDirection {
        let chosen = self.directions.iter().find(|(metric, _)| metric == name);
        chosen.map_or_else(|| ScoreDirection::guess(name), |(_, direction)| *direction)
    }
}
