//! Scores of systems from the ratings of their outputs, and whether two systems differ.
//!
//! [`system_scores`] ranks systems. [`scores_by_source`] and [`compare()`] compare two systems on the
//! sources for which both have an output, as paired tests require; [`compare_each`] compares all pairs
//! and corrects for multiple testing.

mod compare;

use std::{cmp::Ordering, collections::BTreeMap};

use serde::{Deserialize, Serialize};

use super::{
    UndefinedReason,
    describe::{SampleSummary, describe, mean},
    ranks::competition_ranks,
};
use crate::comparison::PairOutcome;
pub use compare::{
    FEWEST_SOURCES, PairVerdict, PairedComparison, SIGNIFICANCE_LEVEL, SystemPairComparison,
    TEST_DESCRIPTION, UnpairedComparison, compare, compare_each, compare_unpaired, paired_sources,
    scores_by_source, system_letters,
};

/// A system's score and rank.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SystemScore<S> {
    /// The system.
    pub system: S,
    /// The number of its outputs with a rating.
    pub outputs: usize,
    /// The mean over its outputs of the mean over their raters, in points or standard deviations:
    /// every output weighs the same, whatever its number of raters.
    pub mean: f64,
    /// The spread of its outputs' means, with the interval of `mean`; undefined for a single output.
    pub spread: Result<SampleSummary, UndefinedReason>,
    /// 1 for the highest mean; systems with the same mean share the smallest rank.
    pub place: usize,
}

/// The score of each system, in the order of their keys, from (system, score) of outputs, as
/// [`super::RatingTable::means`] gives them of raw ratings or of z-scores.
#[must_use]
pub fn system_scores<S: Ord>(scored: impl IntoIterator<Item = (S, f64)>) -> Vec<SystemScore<S>> {
    let mut outputs: BTreeMap<S, Vec<f64>> = BTreeMap::new();
    for (system, score) in scored {
        outputs.entry(system).or_default().push(score);
    }

    let means: Vec<f64> = outputs.values().map(|of_system| mean(of_system)).collect();
    let places = competition_ranks(&means);
    outputs
        .into_iter()
        .zip(means.into_iter().zip(places))
        .map(|((system, of_system), (mean, place))| SystemScore {
            system,
            outputs: of_system.len(),
            mean,
            spread: describe(&of_system),
            place,
        })
        .collect()
}

/// How often one system, a, beats another, b: on sources or, where outputs are compared, in comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct WinTieLoss {
    /// How often a is better.
    pub wins: usize,
    /// How often neither is, or they differ by no more than the tie threshold.
    pub ties: usize,
    /// How often b is better.
    pub losses: usize,
}

impl WinTieLoss {
    /// The counts of b against a.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self {
            wins: self.losses,
            ties: self.ties,
            losses: self.wins,
        }
    }

    /// The sum of both counts.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            ties: self.ties + other.ties,
            losses: self.losses + other.losses,
        }
    }

    /// All three together.
    #[must_use]
    pub const fn total(self) -> usize {
        self.wins + self.ties + self.losses
    }

    /// Greater where a is better more often than in half of all, less where b is; else equal.
    #[must_use]
    pub const fn majority(self) -> Ordering {
        if 2 * self.wins > self.total() {
            Ordering::Greater
        } else if 2 * self.losses > self.total() {
            Ordering::Less
        } else {
            Ordering::Equal
        }
    }
}

impl From<PairOutcome> for WinTieLoss {
    fn from(outcome: PairOutcome) -> Self {
        let mut counts = Self::default();
        match outcome {
            PairOutcome::A => counts.wins = 1,
            PairOutcome::B => counts.losses = 1,
            PairOutcome::Tie => counts.ties = 1,
        }
        counts
    }
}

/// Counts pairs (a, b) of scores of the same source; differences up to `tie_points` are ties.
#[must_use]
pub fn win_tie_loss(pairs: &[(f64, f64)], tie_points: f64) -> WinTieLoss {
    let mut counts = WinTieLoss::default();
    for (a, b) in pairs {
        match a - b {
            d if d > tie_points => counts.wins += 1,
            d if d < -tie_points => counts.losses += 1,
            _ => counts.ties += 1,
        }
    }
    counts
}
