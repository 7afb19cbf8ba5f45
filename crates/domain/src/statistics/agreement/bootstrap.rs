//! Bootstrap intervals of Krippendorff's alpha.

use std::{collections::BTreeMap, option};

use super::{
    super::{
        RatingTable, UndefinedReason,
        bootstrap::{BootstrapInterval, ResamplingOptions, bootstrap},
    },
    MeasurementLevel, alpha,
    counts::ValueCounts,
    sums::IntervalSums,
};

/// α under resampling of sources, or of outputs: the contribution of each to the sums is computed once,
/// and a replicate adds up the contributions of those drawn. At the interval level that costs a few
/// additions a source, however many ratings it has: with n = Σnᵤ, s = Σx, q = Σx² and w = Σᵤ (nᵤΣx² −
/// (Σx)²)/(nᵤ−1) over the pairable units of the resample, α = 1 − (n−1)·w/(nq − s²). At the nominal and
/// ratio levels w and the counts of values add up in the same way; at the ordinal level ranks are those
/// of the resample, so every replicate iterates over its units.
///
/// Values are fixed: pass z-scores of the whole table; they are not recomputed in each replicate.
/// A source drawn twice counts as two with the same ratings. A unit with fewer than
/// two ratings adds nothing, but a source or output without a pairable unit is drawn like the others.
///
/// Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13, for the
/// percentile interval; Davison and Hinkley (1997), section 3.8, for drawing whole clusters.
#[derive(Debug, Clone)]
pub struct AlphaBootstrap(AlphaContributions);

#[derive(Debug, Clone)]
enum AlphaContributions {
    Interval(Vec<IntervalSums>, f64),
    Counts(ValueCounts, usize),
}

impl AlphaBootstrap {
    /// Resamples sources, each with all of its outputs: `source` gives the source of a unit.
    /// This is the interval to report, as outputs of one source are similar.
    #[must_use]
    pub fn new<R, U, S: Ord>(
        ratings: &RatingTable<R, U>,
        level: MeasurementLevel,
        mut source: impl FnMut(&U) -> S,
    ) -> Self {
        let mut sources: BTreeMap<S, Vec<&[f64]>> = BTreeMap::new();
        for (key, unit) in ratings.by_unit() {
            let units = sources.entry(source(key)).or_default();
            units.extend(pairable(unit.values));
        }
        let units = sources.values().map(|units| units.iter().copied());
        Self::from_parts(units, level)
    }

    /// Resamples outputs independently, as if each had its own source.
    #[must_use]
    pub fn over_outputs<R, U>(ratings: &RatingTable<R, U>, level: MeasurementLevel) -> Self {
        Self::from_parts(ratings.unit_values().map(pairable), level)
    }

    /// Builds the bootstrap from parts, each with the values of its pairable units.
    fn from_parts<'a, P>(parts: impl Iterator<Item = P> + Clone, level: MeasurementLevel) -> Self
    where
        P: Iterator<Item = &'a [f64]> + Clone,
    {
        Self(match level {
            MeasurementLevel::Interval => {
                let origin = alpha::origin(parts.clone().flatten());
                let sums = parts.map(|units| IntervalSums::from_units(units, origin));
                AlphaContributions::Interval(sums.collect(), origin)
            }
            MeasurementLevel::Nominal | MeasurementLevel::Ordinal | MeasurementLevel::Ratio => {
                let parts: Vec<_> = parts.collect();
                AlphaContributions::Counts(ValueCounts::new(&parts, level), parts.len())
            }
        })
    }

    /// Resamples sources at the interval level, each with the sums of its pairable units.
    pub(super) const fn from_sums(sources: Vec<IntervalSums>, origin: f64) -> Self {
        Self(AlphaContributions::Interval(sources, origin))
    }

    /// The number of sources (or outputs), which is also the number of draws.
    #[must_use]
    pub fn sources(&self) -> usize {
        match &self.0 {
            AlphaContributions::Interval(sums, _) => sums.len(),
            AlphaContributions::Counts(_, sources) => *sources,
        }
    }

    /// α of the sources drawn, given by index in the order of their keys.
    ///
    /// # Errors
    /// As α itself, for this resample.
    ///
    /// # Panics
    /// If an index is [`AlphaBootstrap::sources`] or above.
    pub fn replicate(&self, drawn: &[usize]) -> Result<f64, UndefinedReason> {
        match &self.0 {
            AlphaContributions::Interval(sums, origin) => {
                let contributions = drawn.iter().map(|source| sums[*source]);
                contributions
                    .fold(IntervalSums::default(), IntervalSums::plus)
                    .alpha(*origin)
            }
            AlphaContributions::Counts(counts, _) => counts.alpha(drawn),
        }
    }

    /// The percentile interval.
    ///
    /// # Errors
    /// As [`bootstrap`].
    pub fn interval(
        &self,
        resampling: ResamplingOptions,
    ) -> Result<BootstrapInterval, UndefinedReason> {
        bootstrap(self.sources(), resampling, |drawn| self.replicate(drawn))
    }
}

/// The values of a unit with at least two.
fn pairable(values: &[f64]) -> option::IntoIter<&[f64]> {
    (values.len() > 1).then_some(values).into_iter()
}
