//! One dimension of a study as sums.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    category::Category,
    ids::{OutputId, RaterId, SourceId},
    statistics::{
        DeviationKind, LiveAgreement, UndefinedReason,
        live::{LiveView, ResamplingBlock},
        standardise::RaterScale,
    },
};

use super::history::{self, AgreementPoint};

/// Sums over the ratings that raters gave outputs.
pub(super) type OutputRatingSums = LiveAgreement<RaterId, OutputId>;

/// Sums over the ratings on one dimension: over all of them, and over those of each category's outputs.
/// Copies of a rating at identical outputs are left out, as they are no units of their own.
#[derive(Debug, Default)]
pub struct DimensionSums {
    all: OutputRatingSums,
    by_category: BTreeMap<Category, OutputRatingSums>,
    blocks: BTreeMap<SourceId, SourceBlocks>,
    history: Vec<AgreementPoint>,
}

/// The blocks of one source.
#[derive(Debug, Default)]
struct SourceBlocks {
    all: ResamplingBlock,
    by_category: BTreeMap<Category, ResamplingBlock>,
}

/// The value of a rating and the category of its output.
pub(super) type CategorisedRating = (f64, Category);

/// The ratings of a source, by rater and output.
pub(super) type SourceRatings = BTreeMap<(RaterId, OutputId), CategorisedRating>;

/// The rated outputs of a source.
type OutputCategories = BTreeMap<OutputId, Category>;

impl DimensionSums {
    /// All ratings.
    #[must_use]
    pub const fn all(&self) -> &LiveAgreement<RaterId, OutputId> {
        &self.all
    }

    /// Whether there is no rating.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The ratings of the outputs whose majority category is this one.
    #[must_use]
    pub fn category(&self, category: Category) -> Option<&LiveAgreement<RaterId, OutputId>> {
        self.by_category.get(&category)
    }

    /// The blocks for resampling by source, of all ratings.
    pub fn blocks(&self) -> impl Iterator<Item = &ResamplingBlock> {
        self.blocks.values().map(|blocks| &blocks.all)
    }

    /// The blocks for resampling by source, of a category's ratings.
    pub fn blocks_of(&self, category: Category) -> impl Iterator<Item = &ResamplingBlock> {
        let blocks = self.blocks.values();
        blocks.filter_map(move |blocks| blocks.by_category.get(&category))
    }

    /// The z-scores of a part of the ratings, on the scales of all ratings of each rater.
    #[must_use]
    pub fn standardised<'a>(&'a self, part: &'a OutputRatingSums) -> LiveView<'a, RaterId> {
        part.on_scales(|rater| self.scale(rater).ok())
    }

    /// The mean and the population standard deviation of all ratings of a rater.
    ///
    /// # Errors
    /// See [`LiveAgreement::scale`].
    pub fn scale(&self, rater: &RaterId) -> Result<RaterScale, UndefinedReason> {
        self.all.scale(rater, DeviationKind::Population)
    }

    /// The history of α, oldest point first; the last one is the present. Points that this process
    /// witnessed are as they were then; earlier ones are computed from the present values of ratings, in
    /// the order in which these were given.
    #[must_use]
    pub fn history(&self) -> &[AgreementPoint] {
        &self.history
    }

    /// Computes everything from ratings in the order in which they were given.
    pub(super) fn replay(rows: &[(SourceId, RaterId, OutputId, CategorisedRating)]) -> Self {
        let mut sums = Self::default();
        let mut outputs = BTreeMap::<SourceId, OutputCategories>::new();
        let step = history::sampling_step(rows.len());
        // The sources with ratings since the last point, whose blocks are out of date.
        let mut touched = BTreeSet::new();
        for (number, (source, rater, output, rating)) in rows.iter().enumerate() {
            sums.rate(*rater, *output, *rating);
            outputs
                .entry(*source)
                .or_default()
                .insert(*output, rating.1);
            touched.insert(*source);
            if (number + 1) % step == 0 || number + 1 == rows.len() {
                for source in std::mem::take(&mut touched) {
                    sums.rebuild_blocks(source, &outputs[&source]);
                }
                sums.record();
            }
        }
        sums
    }

    /// Replaces a source's ratings: only those that changed are withdrawn and added.
    pub(super) fn replace(
        &mut self,
        source: SourceId,
        mut before: SourceRatings,
        after: &SourceRatings,
    ) {
        for (key @ (rater, output), rating) in after {
            let old = before.remove(key);
            if old.as_ref() == Some(rating) {
                continue;
            }
            if let Some((_, category)) = old {
                self.category_mut(category).withdraw(rater, output);
            }
            self.rate(*rater, *output, *rating);
        }
        // What is left of the earlier ratings has no successor.
        for ((rater, output), (_, category)) in before {
            self.all.withdraw(&rater, &output);
            self.category_mut(category).withdraw(&rater, &output);
        }
        let outputs = after.iter();
        let outputs = outputs.map(|((_, output), (_, category))| (*output, *category));
        self.rebuild_blocks(source, &outputs.collect());
        self.record();
    }

    /// Adds the present to the history.
    fn record(&mut self) {
        let blocks = self.blocks.values().map(|blocks| &blocks.all);
        let point = AgreementPoint::from_sums(&self.all, blocks);
        history::push(&mut self.history, point);
    }

    fn rate(&mut self, rater: RaterId, output: OutputId, (value, category): CategorisedRating) {
        let finite = "the store keeps finite ratings";
        self.all.rate(rater, output, value).expect(finite);
        self.category_mut(category)
            .rate(rater, output, value)
            .expect(finite);
    }

    fn category_mut(&mut self, category: Category) -> &mut OutputRatingSums {
        self.by_category.entry(category).or_default()
    }

    /// Computes the blocks of a source again; `outputs` are those with ratings.
    fn rebuild_blocks(&mut self, source: SourceId, outputs: &OutputCategories) {
        if outputs.is_empty() {
            self.blocks.remove(&source);
            return;
        }
        let of_category = |(category, all): (&Category, &OutputRatingSums)| {
            let units = outputs.iter().filter(|(_, own)| *own == category);
            let mut units = units.map(|(output, _)| output).peekable();
            units.peek()?;
            Some((*category, all.block(units)))
        };
        let blocks = SourceBlocks {
            all: self.all.block(outputs.keys()),
            by_category: self.by_category.iter().filter_map(of_category).collect(),
        };
        self.blocks.insert(source, blocks);
    }
}
