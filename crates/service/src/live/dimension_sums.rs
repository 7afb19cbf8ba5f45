//! One dimension of a study as sums.

use std::collections::BTreeMap;

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

/// The ratings of outputs by raters as sums.
pub(super) type OutputRatingSums = LiveAgreement<RaterId, OutputId>;

/// The ratings on one dimension: all of them, and those of each category's outputs. A rating that
/// stands for an identical output is not among them: it is no unit of its own.
#[derive(Debug, Default)]
pub struct DimensionSums {
    all: OutputRatingSums,
    by_category: BTreeMap<Category, OutputRatingSums>,
    blocks: BTreeMap<SourceId, SourceBlocks>,
    history: Vec<AgreementPoint>,
}

/// The sums of one source.
#[derive(Debug, Default)]
struct SourceBlocks {
    all: ResamplingBlock,
    by_category: BTreeMap<Category, ResamplingBlock>,
}

/// The value of a rating and the category of its output.
pub(super) type CategorisedRating = (f64, Category);

/// The ratings of a source, by rater and output.
pub(super) type SourceRatings = BTreeMap<(RaterId, OutputId), CategorisedRating>;

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

    /// The ratings of the outputs whose category counts as this one.
    #[must_use]
    pub fn category(&self, category: Category) -> Option<&LiveAgreement<RaterId, OutputId>> {
        self.by_category.get(&category)
    }

    /// The sources of all ratings, as sums to resample.
    pub fn blocks(&self) -> impl Iterator<Item = &ResamplingBlock> {
        self.blocks.values().map(|blocks| &blocks.all)
    }

    /// The sources of a category's ratings, as sums to resample.
    pub fn blocks_of(&self, category: Category) -> impl Iterator<Item = &ResamplingBlock> {
        let each = self.blocks.values();
        each.filter_map(move |blocks| blocks.by_category.get(&category))
    }

    /// A category's ratings as z-scores by all ratings of each rater.
    #[must_use]
    pub fn standardised<'a>(&'a self, of: &'a OutputRatingSums) -> LiveView<'a, RaterId> {
        of.on_scales(|rater| self.scale(rater).ok())
    }

    /// Mean and population standard deviation of all ratings of a rater.
    ///
    /// # Errors
    /// See [`LiveAgreement::scale`].
    pub fn scale(&self, rater: &RaterId) -> Result<RaterScale, UndefinedReason> {
        self.all.scale(rater, DeviationKind::Population)
    }

    /// How α came to be what it is, oldest first; the last is now. What this process saw happen stands
    /// as it was then; what was there before stands with its present values, in the order of time.
    #[must_use]
    pub fn history(&self) -> &[AgreementPoint] {
        &self.history
    }

    /// Everything anew, from ratings in the order in which they were given.
    pub(super) fn replay(rows: &[(SourceId, RaterId, OutputId, CategorisedRating)]) -> Self {
        let mut scored = Self::default();
        let mut units = BTreeMap::<SourceId, SourceRatings>::new();
        let step = history::step(rows.len());
        for (number, (source, rater, output, rated)) in rows.iter().enumerate() {
            scored.rate(*rater, *output, *rated);
            units
                .entry(*source)
                .or_default()
                .insert((*rater, *output), *rated);
            if (number + 1) % step == 0 || number + 1 == rows.len() {
                history::push(&mut scored.history, AgreementPoint::from_sums(&scored.all));
            }
        }
        for (source, ratings) in &units {
            scored.rebuild_blocks(*source, ratings);
        }
        scored
    }

    /// Puts what a source's ratings are in the place of what they were.
    pub(super) fn replace(
        &mut self,
        source: SourceId,
        mut before: SourceRatings,
        after: &SourceRatings,
    ) {
        for (key @ (rater, output), rated) in after {
            let old = before.remove(key);
            if old.as_ref() == Some(rated) {
                continue;
            }
            if let Some((_, category)) = old {
                self.category_mut(category).withdraw(rater, output);
            }
            self.rate(*rater, *output, *rated);
        }
        for ((rater, output), (_, category)) in before {
            self.all.withdraw(&rater, &output);
            self.category_mut(category).withdraw(&rater, &output);
        }
        self.rebuild_blocks(source, after);
        history::push(&mut self.history, AgreementPoint::from_sums(&self.all));
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

    fn rebuild_blocks(&mut self, source: SourceId, ratings: &SourceRatings) {
        let mut outputs = BTreeMap::<OutputId, Category>::new();
        for ((_, output), (_, category)) in ratings {
            outputs.insert(*output, *category);
        }
        if outputs.is_empty() {
            self.blocks.remove(&source);
            return;
        }
        let of_category = |(category, all): (&Category, &OutputRatingSums)| {
            let units = outputs.iter().filter(|(_, of)| *of == category);
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
