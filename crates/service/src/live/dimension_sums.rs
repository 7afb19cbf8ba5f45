//! The sums of one dimension of a study.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    category::Category,
    ids::{OutputId, RaterId, SourceId},
    statistics::{
        DeviationKind, LiveAgreement, UndefinedReason,
        live::{LivePart, LiveView, ResamplingBlock},
        standardise::RaterScale,
    },
};

use super::history::{self, AgreementPoint};

/// Sums over the ratings that raters gave outputs.
pub(super) type OutputRatingSums = LiveAgreement<RaterId, OutputId>;

/// Sums over the ratings on one dimension: over all of them, and over those of each category's outputs.
/// Copies of a rating at identical outputs are left out, because they are not separate units.
#[derive(Debug, Default)]
pub struct DimensionSums {
    all: OutputRatingSums,
    by_category: BTreeMap<Category, LivePart>,
    blocks: BTreeMap<SourceId, SourceBlocks>,
    history: Vec<AgreementPoint>,
}

/// The resampling blocks of one source.
#[derive(Debug, Default)]
struct SourceBlocks {
    all: ResamplingBlock,
    by_category: Box<[(Category, ResamplingBlock)]>,
}

/// The value of a rating and the category of its output.
pub(super) type CategorisedRating = (f64, Category);

/// The ratings of a source, by rater and output.
pub(super) type SourceRatings = BTreeMap<(RaterId, OutputId), CategorisedRating>;

/// The rated outputs of a source.
type OutputCategories = BTreeMap<OutputId, Category>;

impl DimensionSums {
    /// The sums over all ratings.
    #[must_use]
    pub const fn all(&self) -> &LiveAgreement<RaterId, OutputId> {
        &self.all
    }

    /// Whether there are no ratings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The sums over the ratings of outputs with this majority category.
    #[must_use]
    pub fn raw_in(&self, category: Category) -> Option<LiveView<'_, RaterId>> {
        let part = self.by_category.get(&category)?;
        Some(self.all.raw_in(part))
    }

    /// The z-scores of these ratings, on the scales of all ratings of each rater.
    #[must_use]
    pub fn standardised_in(&self, category: Category) -> Option<LiveView<'_, RaterId>> {
        let part = self.by_category.get(&category)?;
        Some(self.all.on_scales_in(part, |rater| self.scale(rater).ok()))
    }

    /// The blocks of all ratings, for resampling by source.
    pub fn blocks(&self) -> impl Iterator<Item = &ResamplingBlock> {
        self.blocks.values().map(|blocks| &blocks.all)
    }

    /// The blocks of a category's ratings, for resampling by source.
    pub fn blocks_of(&self, category: Category) -> impl Iterator<Item = &ResamplingBlock> {
        let blocks = self.blocks.values();
        let blocks = blocks.flat_map(|blocks| blocks.by_category.iter());
        blocks.filter_map(move |(own, block)| (*own == category).then_some(block))
    }

    /// The z-scores of all ratings.
    #[must_use]
    pub fn standardised(&self) -> LiveView<'_, RaterId> {
        self.all.standardised(DeviationKind::Population)
    }

    /// The mean and the population standard deviation of all ratings of a rater.
    ///
    /// # Errors
    /// See [`LiveAgreement::scale`].
    pub fn scale(&self, rater: &RaterId) -> Result<RaterScale, UndefinedReason> {
        self.all.scale(rater, DeviationKind::Population)
    }

    /// The history of α, oldest point first; the last one is the present. Points that this process
    /// witnessed are as they were then. Earlier ones are computed from the present values of ratings, in
    /// the order in which these were given.
    #[must_use]
    pub fn history(&self) -> &[AgreementPoint] {
        &self.history
    }

    /// Computes all sums from ratings in the order in which they were given.
    pub(super) fn replay(rows: &[(SourceId, RaterId, OutputId, CategorisedRating)]) -> Self {
        let mut sums = Self::default();
        let mut outputs = BTreeMap::<SourceId, OutputCategories>::new();
        for rows in rows.chunks(history::sampling_step(rows.len())) {
            // The sources with ratings since the last point, whose blocks are out of date.
            let mut touched = BTreeSet::new();

            // All ratings of an import have the same time, so those of an output follow each other.
            for of_output in rows.chunk_by(|row, next| row.2 == next.2) {
                let (source, _, output, (_, category)) = of_output[0];
                let ratings = of_output.iter();
                let ratings: Vec<_> = ratings
                    .map(|(_, rater, _, (value, _))| (*rater, *value))
                    .collect();
                sums.rate(output, category, &ratings);
                outputs.entry(source).or_default().insert(output, category);
                touched.insert(source);
            }

            for source in touched {
                sums.rebuild_blocks(source, &outputs[&source]);
            }

            sums.record();
        }

        sums
    }

    /// Replaces a source's ratings. Only those that changed are withdrawn and added.
    pub(super) fn replace(
        &mut self,
        source: SourceId,
        mut before: SourceRatings,
        after: &SourceRatings,
    ) {
        // Withdraw first: all ratings of an output have to be in the sums of one category.
        before.retain(|key @ (rater, output), (_, category)| {
            let stays = after.get(key).is_some_and(|(_, new)| new == category);
            if !stays {
                self.withdraw(rater, output, *category);
            }
            stays
        });

        for (key @ (rater, output), rating) in after {
            if before.get(key) != Some(rating) {
                let (value, category) = *rating;
                self.rate(*output, category, &[(*rater, value)]);
            }
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

    fn rate(&mut self, output: OutputId, category: Category, ratings: &[(RaterId, f64)]) {
        let part = self.by_category.entry(category).or_default();
        self.all
            .rate_in(part, output, ratings)
            .expect("the store keeps finite ratings");
    }

    fn withdraw(&mut self, rater: &RaterId, output: &OutputId, category: Category) {
        let part = self.by_category.entry(category).or_default();
        self.all.withdraw_in(part, rater, output);
    }

    /// Recomputes the blocks of a source; `outputs` are those with ratings.
    fn rebuild_blocks(&mut self, source: SourceId, outputs: &OutputCategories) {
        if outputs.is_empty() {
            self.blocks.remove(&source);
            return;
        }

        let of_category = |(category, part): (&Category, &LivePart)| {
            let units = outputs.iter().filter(|(_, own)| *own == category);
            let mut units = units.map(|(output, _)| output).peekable();
            units.peek()?;
            Some((*category, self.all.block_in(part, units)))
        };

        let blocks = SourceBlocks {
            all: self.all.block(outputs.keys()),
            by_category: self.by_category.iter().filter_map(of_category).collect(),
        };
        self.blocks.insert(source, blocks);
    }
}
