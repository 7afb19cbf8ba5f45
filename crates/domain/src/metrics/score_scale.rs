//! The meaning of scores of a learned metric.

use serde::{Deserialize, Serialize};

/// The meaning of a metric's scores, for outputs that are like those that it learned from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoreScale(
    /// The marks, which ascend by score.
    pub Vec<ScaleMark>,
);

/// The meaning of a score, and of higher ones up to the next mark.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ScaleMark {
    /// The score.
    pub score: f64,
    /// The percentage of rated outputs whose mean rating is below the one that the score predicts.
    pub percent: f64,
    /// The interval that holds the mean ratings of 95 % of outputs with such a score, on the same scale.
    pub interval: (f64, f64),
}

impl ScoreScale {
    /// The meaning of a score: that of the last mark at or below it, or else of the first mark. `None` without marks.
    #[must_use]
    pub fn find(&self, score: f64) -> Option<&ScaleMark> {
        let after = self.0.partition_point(|mark| mark.score <= score);
        self.0.get(after.saturating_sub(1))
    }
}
