//! Intervals of α from sums, by resampling the sources of units.

use super::{
    super::{
        UndefinedReason,
        bootstrap::{BootstrapInterval, ResamplingOptions, bootstrap},
    },
    LiveAgreement, LivePart, LiveSums, LiveView,
    rater_sets::{RaterSets, SumsByRaterSet},
    tally::AlphaTally,
};

/// The sums of the ratings of units that are drawn together, such as the outputs of one source.
///
/// It is valid until one of its ratings changes; then it is recomputed, in time linear in its
/// ratings.
#[derive(Debug, Clone, Default)]
pub struct ResamplingBlock(RaterSets);

impl<R: Ord, U: Ord> LiveAgreement<R, U> {
    /// The sums of these units; units without ratings add nothing.
    pub fn block<'a>(&'a self, units: impl IntoIterator<Item = &'a U>) -> ResamplingBlock {
        self.make_block(&self.sums, units)
    }

    /// The sums of these units, all of the part, for intervals of the part's agreement.
    pub fn block_in<'a>(
        &'a self,
        part: &LivePart,
        units: impl IntoIterator<Item = &'a U>,
    ) -> ResamplingBlock {
        self.make_block(&part.0, units)
    }

    fn make_block<'a>(
        &'a self,
        sums: &LiveSums,
        units: impl IntoIterator<Item = &'a U>,
    ) -> ResamplingBlock {
        let mut crews = SumsByRaterSet::default();
        for ratings in units.into_iter().filter_map(|unit| self.units.get(unit)) {
            crews.add(&sums.around_origins(ratings));
        }
        ResamplingBlock(crews.into())
    }
}

impl<R: Ord> LiveView<'_, R> {
    /// The percentile interval of α under resampling of blocks, which together hold every rating once.
    /// Blocks without a rating in this view, for example because none of their raters has a scale, are
    /// not drawn. Means and standard deviations of z-scores are fixed. A replicate adds up the sums of
    /// the blocks drawn, whatever their size.
    ///
    /// # Errors
    /// As for [`bootstrap`].
    pub fn interval<'a>(
        &self,
        blocks: impl IntoIterator<Item = &'a ResamplingBlock>,
        resampling: ResamplingOptions,
    ) -> Result<BootstrapInterval, UndefinedReason> {
        let blocks = blocks.into_iter();
        let tallies = blocks.map(|block| block.0.total(&self.transforms));
        let tallies: Vec<_> = tallies.filter(|tally| tally.ratings > 0).collect();
        bootstrap(tallies.len(), resampling, |drawn| {
            let mut all = AlphaTally::default();
            for block in drawn {
                all.add(&tallies[*block]);
            }
            all.alpha()
        })
    }
}
