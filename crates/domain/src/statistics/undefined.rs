//! Why a figure has no value.

use serde::{Deserialize, Serialize};

/// The reason why a figure cannot be computed from the data at hand, as a sentence for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Undefined {
    /// No unit carries two ratings.
    #[error("no output was rated by two raters, so there is nothing to compare")]
    NoPairableUnit,
    /// Every value is the same.
    #[error("all values are the same, so there is no variation to explain")]
    Constant,
    /// A ratio scale starts at zero.
    #[error("a ratio scale has no values below zero; use the interval level instead")]
    BelowZero,
    /// Fewer values than the figure needs.
    #[error("{found} values are too few, at least {needed} are needed")]
    TooFew {
        /// How many there are.
        found: usize,
        /// How many the figure needs.
        needed: usize,
    },
}
