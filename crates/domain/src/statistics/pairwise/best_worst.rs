//! Scores by counting choices of the best and the worst.

use serde::{Deserialize, Serialize};

use super::UndefinedReason;

/// How often a system was shown, and chosen as the best and as the worst of those shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BestWorstCounts {
    /// The choices in which it was shown.
    pub shown: usize,
    /// Those in which it was the best.
    pub best: usize,
    /// Those in which it was the worst.
    pub worst: usize,
}

impl BestWorstCounts {
    /// (best − worst)/shown, from −1 (always the worst) to 1 (always the best).
    ///
    /// Source: Orme (2009), MaxDiff Analysis: Simple Counting, Individual-Level Logit, and HB.
    ///
    /// # Errors
    /// [`UndefinedReason::TooFew`] where it was never shown.
    pub fn score(self) -> Result<f64, UndefinedReason> {
        super::super::require(1, self.shown)?;
        Ok((self.best as f64 - self.worst as f64) / self.shown as f64)
    }

    /// The sum of both counts.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            shown: self.shown + other.shown,
            best: self.best + other.best,
            worst: self.worst + other.worst,
        }
    }
}
