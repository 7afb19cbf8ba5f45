//! A metric judged by preferences.

use super::{
    super::{
        Undefined,
        bootstrap::{Interval, Resampling, bootstrap},
    },
    TauLike,
};

/// A metric's counts by source and category: they add up, so that a bootstrap over sources is a
/// few additions a replicate.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement<C> {
    pub(super) categories: Vec<C>,
    pub(super) sources: Vec<Vec<(usize, TauLike)>>,
}

impl<C: Ord> Judgement<C> {
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

    /// The counts of `category`, or of all of them together, over the sources drawn, given by index
    /// in the order of their keys.
    ///
    /// # Panics
    /// If an index is [`Judgement::sources`] or above.
    pub fn of<'a>(
        &self,
        category: Option<&C>,
        drawn: impl IntoIterator<Item = &'a usize>,
    ) -> TauLike {
        let category = category.map(|c| self.categories.partition_point(|other| other < c));
        let mut total = TauLike::default();
        for source in drawn {
            for (of, counts) in &self.sources[*source] {
                if category.is_none_or(|category| category == *of) {
                    total.add(counts);
                }
            }
        }
        total
    }

    /// The counts of `category`, or of all together, over all sources.
    #[must_use]
    pub fn total(&self, category: Option<&C>) -> TauLike {
        self.of(category, &(0..self.sources()).collect::<Vec<_>>())
    }

    /// The bootstrap interval of τ over sources, one replicate after the other.
    ///
    /// # Errors
    /// As for [`bootstrap`].
    pub fn interval(
        &self,
        category: Option<&C>,
        resampling: Resampling,
    ) -> Result<Interval, Undefined> {
        bootstrap(self.sources(), resampling, |drawn| {
            self.of(category, drawn).tau()
        })
    }
}
