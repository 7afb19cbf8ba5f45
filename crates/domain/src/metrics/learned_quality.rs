//! How good a learned metric is, in numbers that travel with it.

use serde::{Deserialize, Serialize};

use crate::statistics::bootstrap::BootstrapInterval;

/// Agreement with people's mean z. What cannot be told (no pair, all the same) is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct LearnedMetricQuality {
    /// Pearson's r over all outputs.
    pub r: Option<f64>,
    /// Concordant less discordant pairs, as a share of both: pairs of outputs of one source whose mean
    /// z are more than 0.2 apart. Ties of the metric are discordant.
    pub tau: Option<f64>,
    /// The same over pairs of which both outputs have a mean z above 0.
    pub hard: Option<f64>,
    /// The share of cases in which a good output outranks what was made of it to be worse.
    pub degenerate: Option<f64>,
    /// How many outputs that is of.
    pub outputs: usize,
    /// How many sources these belong to.
    pub sources: usize,
}

impl LearnedMetricQuality {
    /// Good outputs must come out ahead of worthless ones in so many cases, or the metric fails.
    pub const MIN_DEGENERATE_SHARE: f64 = 0.85;

    /// Whether the metric lets too much worthless text come out ahead; not where there was none to look
    /// at.
    #[must_use]
    pub fn is_fooled(&self) -> bool {
        self.degenerate
            .is_some_and(|share| share < Self::MIN_DEGENERATE_SHARE)
    }
}

/// A metric against another one on sources that neither learned from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LearnedMetricComparison {
    /// [`Figures::tau`] of the one.
    pub tau: f64,
    /// That of the other.
    pub other: f64,
    /// The percentile interval of the difference: both are looked at on the same resampled sources.
    pub interval: BootstrapInterval,
    /// How many sources there are.
    pub sources: usize,
}

impl LearnedMetricComparison {
    /// On so many sources a difference can be certain: of fewer the bootstrap draws too narrow an
    /// interval.
    pub const FEWEST_SOURCES: usize = 10;

    /// Whether the one is better for certain: the interval of the difference lies above zero, on
    /// [`Comparison::FEWEST_SOURCES`] or more.
    #[must_use]
    pub fn is_better(&self) -> bool {
        self.sources >= Self::FEWEST_SOURCES && self.interval.low > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_sources_are_never_certain() {
        let on = |sources, low| LearnedMetricComparison {
            tau: 0.6,
            other: 0.5,
            interval: BootstrapInterval {
                low,
                high: 0.2,
                confidence: 0.95,
                replicates: 1_000,
                undefined: 0,
            },
            sources,
        };
        let found = [on(10, 0.01), on(10, 0.0), on(9, 0.01)].map(|it| it.is_better());
        assert_eq!(found, [true, false, false]);
    }
}

/// How well a metric does that learned from so many rated outputs of a study.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LearningCurvePoint {
    /// How many.
    pub outputs: usize,
    /// Its agreement with people on the sources of the study that are held out.
    pub figures: LearnedMetricQuality,
}
