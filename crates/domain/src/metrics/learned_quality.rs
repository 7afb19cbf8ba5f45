//! The quality of a learned metric, in figures that are stored with it.

use serde::{Deserialize, Serialize};

use crate::statistics::bootstrap::BootstrapInterval;

/// Agreement with the raters' mean z-scores. Undefined figures (no pair, or all values the same) are
/// `None`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct LearnedMetricQuality {
    /// Pearson's r over all outputs.
    pub r: Option<f64>,
    /// Concordant minus discordant pairs, as a share of both, over pairs of outputs of one source
    /// whose mean z-scores differ by more than 0.2. Ties of the metric are discordant.
    pub tau: Option<f64>,
    /// The same over pairs in which both outputs have a mean z-score above 0.
    pub hard: Option<f64>,
    /// The share of cases in which a good output outranks a degenerate variant of it.
    pub degenerate: Option<f64>,
    /// The number of outputs.
    pub outputs: usize,
    /// The number of sources of these outputs.
    pub sources: usize,
}

impl LearnedMetricQuality {
    /// The share of cases in which good outputs must outrank degenerate ones, or the metric fails.
    pub const MIN_DEGENERATE_SHARE: f64 = 0.85;

    /// Whether the metric ranks degenerate texts above good ones too often; `false` if there was none
    /// to test.
    #[must_use]
    pub fn is_fooled(&self) -> bool {
        self.degenerate
            .is_some_and(|share| share < Self::MIN_DEGENERATE_SHARE)
    }
}

/// A comparison of two metrics on sources that neither was trained on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LearnedMetricComparison {
    /// [`LearnedMetricQuality::tau`] of the metric.
    pub tau: f64,
    /// The τ of the other metric.
    pub other: f64,
    /// The percentile interval of the difference: both are computed on the same resampled sources.
    pub interval: BootstrapInterval,
    /// The number of sources.
    pub sources: usize,
}

impl LearnedMetricComparison {
    /// The fewest sources on which a difference can be certain: with fewer, the bootstrap
    /// interval is too narrow.
    pub const FEWEST_SOURCES: usize = 10;

    /// Whether the metric is certainly better: the interval of the difference is above zero, on
    /// [`Self::FEWEST_SOURCES`] or more.
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
        let verdicts =
            [on(10, 0.01), on(10, 0.0), on(9, 0.01)].map(|comparison| comparison.is_better());
        assert_eq!(verdicts, [true, false, false]);
    }
}

/// The quality of a metric trained on a given number of rated outputs of a study.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LearningCurvePoint {
    /// The number of rated outputs.
    pub outputs: usize,
    /// Its agreement with raters on held-out sources of the study.
    pub figures: LearnedMetricQuality,
}
