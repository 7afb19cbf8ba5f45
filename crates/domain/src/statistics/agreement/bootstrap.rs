//! Bootstrap intervals of Krippendorff's alpha.

use std::collections::BTreeMap;

use super::{
    super::{
        Ratings, Undefined,
        bootstrap::{Interval, Resampling, bootstrap},
    },
    Level, alpha,
    counts::Counted,
    sums::Sums,
};

/// α under resampling of sources: each source's share of the sums is taken once, and a replicate
/// adds up the shares of the sources drawn. At the interval level that costs a few additions a
/// source, however many ratings it has.
///
/// Values are held fixed: pass z-scores of the whole table, and they are not standardised anew in
/// each replicate.
#[derive(Debug, Clone)]
pub struct AlphaBootstrap(Parts);

#[derive(Debug, Clone)]
enum Parts {
    Interval(Vec<Sums>, f64),
    Counted(Counted, usize),
}

impl AlphaBootstrap {
    /// Groups the units by `source`, which is what is resampled; give each unit back as its own
    /// source to resample outputs instead. Sources without a pairable unit are resampled too.
    #[must_use]
    pub fn new<R, U, S: Ord>(
        ratings: &Ratings<R, U>,
        level: Level,
        mut source: impl FnMut(&U) -> S,
    ) -> Self {
        let mut sources: BTreeMap<S, Vec<&[f64]>> = BTreeMap::new();
        for (key, unit) in ratings.by_unit() {
            let units = sources.entry(source(key)).or_default();
            if unit.values.len() > 1 {
                units.push(unit.values);
            }
        }
        let units = sources.values().map(|units| units.iter().copied());
        Self(match level {
            Level::Interval => {
                let origin = alpha::origin(units.clone().flatten());
                let sums = units.map(|units| Sums::of_units(units, origin));
                Parts::Interval(sums.collect(), origin)
            }
            _ => {
                let parts: Vec<_> = units.collect();
                Parts::Counted(Counted::new(&parts, level), parts.len())
            }
        })
    }

    /// The number of sources.
    #[must_use]
    pub fn sources(&self) -> usize {
        match &self.0 {
            Parts::Interval(sums, _) => sums.len(),
            Parts::Counted(_, sources) => *sources,
        }
    }

    /// α of the sources drawn, given by index in the order of their keys.
    ///
    /// # Errors
    /// As for α itself, of this resample.
    ///
    /// # Panics
    /// If an index is [`AlphaBootstrap::sources`] or above.
    pub fn replicate(&self, drawn: &[usize]) -> Result<f64, Undefined> {
        match &self.0 {
            Parts::Interval(sums, origin) => {
                let drawn = drawn.iter().map(|source| sums[*source]);
                drawn.fold(Sums::default(), Sums::plus).alpha(*origin)
            }
            Parts::Counted(counted, _) => counted.alpha(drawn),
        }
    }

    /// The percentile interval, one replicate after the other.
    ///
    /// # Errors
    /// As for [`bootstrap`].
    pub fn interval(&self, resampling: Resampling) -> Result<Interval, Undefined> {
        bootstrap(self.sources(), resampling, |drawn| self.replicate(drawn))
    }
}
