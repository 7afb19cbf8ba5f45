//! A metric's counts against preferences, by source and category.

use super::{
    super::{
        UndefinedReason,
        bootstrap::{BootstrapInterval, ResamplingOptions, bootstrap},
    },
    TauLike,
};

/// A metric's counts by source and category: they add up, so that a bootstrap replicate over
/// sources takes a few additions.
#[derive(Debug, Clone, PartialEq)]
pub struct TauLikeBreakdown<C> {
    pub(super) categories: Vec<C>,
    pub(super) sources: Vec<Vec<(usize, TauLike)>>,
}

impl<C: Ord> TauLikeBreakdown<C> {
    /// The categories that occur, in their order.
    #[must_use]
    pub fn categories(&self) -> &[C] {
        &self.categories
    }

    /// The number of sources.
    #[must_use]
    pub fn sources(&self) -> usize {
        self.sources.len()
    }

    /// The counts of `category`, or of all categories together, over the sources drawn, given by index
    /// in the order of their keys.
    ///
    /// # Panics
    /// If an index is [`TauLikeBreakdown::sources`] or above.
    pub fn sum_over<'a>(
        &self,
        category: Option<&C>,
        drawn: impl IntoIterator<Item = &'a usize>,
    ) -> TauLike {
        sum(drawn
            .into_iter()
            .map(|source| self.source(category, *source)))
    }

    /// The counts of `category`, or of all categories together, over all sources.
    #[must_use]
    pub fn total(&self, category: Option<&C>) -> TauLike {
        sum(self.each_source(category))
    }

    /// The bootstrap interval of τ over sources.
    ///
    /// # Errors
    /// As [`bootstrap`].
    pub fn interval(
        &self,
        category: Option<&C>,
        resampling: ResamplingOptions,
    ) -> Result<BootstrapInterval, UndefinedReason> {
        let sources: Vec<TauLike> = self.each_source(category).collect();
        bootstrap(sources.len(), resampling, |drawn| {
            sum(drawn.iter().map(|source| sources[*source])).tau()
        })
    }

    fn each_source(&self, category: Option<&C>) -> impl Iterator<Item = TauLike> {
        (0..self.sources()).map(move |source| self.source(category, source))
    }

    fn source(&self, category: Option<&C>, source: usize) -> TauLike {
        let category = category.map(|c| self.categories.partition_point(|other| other < c));
        let counts = self.sources[source].iter();
        sum(counts
            .filter(|(entry_category, _)| {
                category.is_none_or(|category| category == *entry_category)
            })
            .map(|(_, counts)| *counts))
    }
}

fn sum(counts: impl Iterator<Item = TauLike>) -> TauLike {
    counts.fold(TauLike::default(), TauLike::plus)
}
