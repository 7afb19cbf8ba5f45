//! What a rating says.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The numbers that a rating may take.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// The worst.
    pub low: i32,
    /// The best.
    pub high: i32,
}

impl Scale {
    /// The 0–100 slider of Rank & Rate and of direct assessment.
    pub const PERCENT: Self = Self { low: 0, high: 100 };
    /// The five-point Likert scale of the released simplicity ratings.
    pub const LIKERT: Self = Self { low: -2, high: 2 };

    /// The score at `value`.
    ///
    /// # Errors
    /// [`OffScale`] where it lies outside.
    pub const fn score(self, value: i32) -> Result<Score, OffScale> {
        if self.low <= value && value <= self.high {
            Ok(Score(value))
        } else {
            Err(OffScale { value, scale: self })
        }
    }

    /// The nearest score to `value`.
    #[must_use]
    pub fn clamp(self, value: i32) -> Score {
        Score(value.clamp(self.low, self.high))
    }
}

impl Default for Scale {
    fn default() -> Self {
        Self::PERCENT
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.low, self.high)
    }
}

/// A whole number that a person set on a [`Scale`]; stored as entered, never snapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Score(i32);

impl Score {
    /// The number.
    #[must_use]
    pub const fn get(self) -> i32 {
        self.0
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A number outside its scale.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{value} is outside the scale from {scale}")]
pub struct OffScale {
    /// The number.
    pub value: i32,
    /// The scale it was meant for.
    pub scale: Scale,
}
