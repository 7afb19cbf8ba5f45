//! Reasons why a figure is undefined, for statistics and everything based on them.

use serde::{Deserialize, Serialize};

/// The reason why a figure cannot be computed from the data at hand, as a sentence for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum UndefinedReason {
    /// No unit carries two ratings.
    #[error("no output was rated by two raters, so there is nothing to compare")]
    NoPairableUnit,
    /// Every value is the same.
    #[error("all values are the same, so there is no variation to explain")]
    Constant,
    /// A ratio scale starts at zero.
    #[error("a ratio scale has no values below zero; use the interval level instead")]
    BelowZero,
    /// z-scores at another level than the interval level.
    #[error(
        "z-scores have meaning at the interval level alone, as distances from the rater's mean"
    )]
    IntervalOnly,
    /// A label that the scale of categories does not list.
    #[error("a label is not on the scale of categories that was given")]
    OffScale,
    /// Raters prefer no output over another.
    #[error("no pair of outputs is told apart by the raters, so there is no order to match")]
    NoPreference,
    /// No comparison has a winner.
    #[error("all comparisons are ties, so that no system is stronger than another")]
    AllTies,
    /// Some systems were never compared with the others, not even through a third one.
    #[error(
        "the comparisons do not connect all systems, so that their scores have no common scale"
    )]
    NotConnected,
    /// Two samples do not differ anywhere.
    #[error("the two samples are equal in every pair, so there is no difference to test")]
    NoDifference,
    /// Neither the aligner nor a person made an edit of the kind.
    #[error("there was no edit of this kind, so there was nothing to correct")]
    NoEdit,
    /// No rater marked anything of the kind.
    #[error("nobody marked anything of this kind, so there is nothing to agree on")]
    NoMark,
    /// A scale of few numbers, on which round ones are not special.
    #[error("the scale has too few numbers for round ones to tell anything")]
    ShortScale,
    /// A value that is infinite or `NaN`.
    #[error("a value is not a finite number; leave out what has no score")]
    NotFinite,
    /// Values whose squares, or the squares of these, cannot be computed with.
    #[error("values are too large or too small to compute with: no rating and no score should be")]
    Extreme,
    /// Fewer values than the figure needs.
    #[error("{found} values are too few, at least {needed} are needed")]
    TooFew {
        /// The number of values.
        found: usize,
        /// The number that the figure needs.
        needed: usize,
    },
}

/// Refuses fewer values than `needed`.
pub(crate) fn require(needed: usize, found: usize) -> Result<(), UndefinedReason> {
    if found < needed {
        Err(UndefinedReason::TooFew { found, needed })
    } else {
        Ok(())
    }
}

/// The largest size of a value in statistics: sums of fourth powers, as in the degrees of freedom of Welch's test, stay
/// finite.
const LARGEST: f64 = 1e75;

/// Refuses fewer numbers than `needed`, and values that are infinite, `NaN` or too large to compute with.
pub(crate) fn require_numbers(needed: usize, values: &[f64]) -> Result<(), UndefinedReason> {
    require(needed, values.len())?;
    if !values.iter().all(|x| x.is_finite()) {
        return Err(UndefinedReason::NotFinite);
    }
    match values.iter().all(|x| x.abs() <= LARGEST) {
        true => Ok(()),
        false => Err(UndefinedReason::Extreme),
    }
}
