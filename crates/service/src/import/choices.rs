use domain::{ids::SourceId, metrics::ScoreDirection};
use serde::{Deserialize, Serialize};

/// What was chosen of files that belong to what is in the study.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportChoices {
    /// Of scores: which way those of each metric point. Of the others it is guessed from the name.
    #[serde(default)]
    pub directions: Vec<(String, ScoreDirection)>,
    /// Of references: the sources without a text of their own in the file, each with the line of the
    /// text that is taken for it.
    #[serde(default)]
    pub accepted: Vec<(SourceId, u64)>,
}

impl ImportChoices {
    /// Which way the scores of the metric of this name point.
    #[must_use]
    pub fn direction(&self, name: &str) -> ScoreDirection {
        let chosen = self.directions.iter().find(|(of, _)| of == name);
        chosen.map_or_else(|| ScoreDirection::guess(name), |(_, direction)| *direction)
    }
}
