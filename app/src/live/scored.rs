//! One dimension of a study as sums.

use std::collections::BTreeMap;

use domain::{
    category::Category,
    ids::{OutputId, RaterId, SourceId},
    statistics::{
        Deviation, LiveAgreement, Undefined,
        live::{Block, LiveView},
        standardise::Scale,
    },
};

use super::history::{self, Point};

/// The ratings of outputs by raters as sums.
pub(super) type All = LiveAgreement<RaterId, OutputId>;

/// The ratings on one dimension: all of them, and those of each category's outputs. A rating that
/// stands for an identical output is not among them: it is no unit of its own.
#[derive(Debug, Default)]
pub struct Scored {
    all: All,
    by_category: BTreeMap<Category, All>,
    blocks: BTreeMap<SourceId, Blocks>,
    history: Vec<Point>,
}

/// The sums of one source.
#[derive(Debug, Default)]
struct Blocks {
    all: Block,
    by_category: BTreeMap<Category, Block>,
}

/// The value of a rating and the category of its output.
pub(super) type Rated = (f64, Category);

/// The ratings of a source, by rater and output.
pub(super) type Ratings = BTreeMap<(RaterId, OutputId), Rated>;

impl Scored {
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
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.blocks.values().map(|blocks| &blocks.all)
    }

    /// The sources of a category's ratings, as sums to resample.
    pub fn blocks_of(&self, category: Category) -> impl Iterator<Item = &Block> {
        let each = self.blocks.values();
        each.filter_map(move |blocks| blocks.by_category.get(&category))
    }

    /// A category's ratings as z-scores by all ratings of each rater.
    #[must_use]
    pub fn standardised<'a>(&'a self, of: &'a All) -> LiveView<'a, RaterId> {
        of.on_scales(|rater| self.scale(rater).ok())
    }

    /// Mean and population standard deviation of all ratings of a rater.
    ///
    /// # Errors
    /// See [`LiveAgreement::scale`].
    pub fn scale(&self, rater: &RaterId) -> Result<Scale, Undefined> {
        self.all.scale(rater, Deviation::Population)
    }

    /// How α came to be what it is, oldest first; the last is now. What this process saw happen stands
    /// as it was then; what was there before stands with its present values, in the order of time.
    #[must_use]
    pub fn history(&self) -> &[Point] {
        &self.history
    }

    /// Everything anew, from ratings in the order in which they were given.
    pub(super) fn replay(rows: &[(SourceId, RaterId, OutputId, Rated)]) -> Self {
        let mut scored = Self::default();
        let mut units = BTreeMap::<SourceId, Ratings>::new();
        let step = history::step(rows.len());
        for (number, (source, rater, output, rated)) in rows.iter().enumerate() {
            scored.rate(*rater, *output, *rated);
            units
                .entry(*source)
                .or_default()
                .insert((*rater, *output), *rated);
            if (number + 1) % step == 0 || number + 1 == rows.len() {
                history::push(&mut scored.history, Point::of(&scored.all));
            }
        }
        for (source, ratings) in &units {
            scored.take_blocks(*source, ratings);
        }
        scored
    }

    /// Puts what a source's ratings are in the place of what they were.
    pub(super) fn replace(&mut self, source: SourceId, mut before: Ratings, after: &Ratings) {
        for (key @ (rater, output), rated) in after {
            let old = before.remove(key);
            if old.as_ref() == Some(rated) {
                continue;
            }
            if let Some((_, category)) = old {
                self.of(category).withdraw(rater, output);
            }
            self.rate(*rater, *output, *rated);
        }
        for ((rater, output), (_, category)) in before {
            self.all.withdraw(&rater, &output);
            self.of(category).withdraw(&rater, &output);
        }
        self.take_blocks(source, after);
        history::push(&mut self.history, Point::of(&self.all));
    }

    fn rate(&mut self, rater: RaterId, output: OutputId, (value, category): Rated) {
        let finite = "the store keeps finite ratings";
        self.all.rate(rater, output, value).expect(finite);
        self.of(category).rate(rater, output, value).expect(finite);
    }

    fn of(&mut self, category: Category) -> &mut All {
        self.by_category.entry(category).or_default()
    }

    fn take_blocks(&mut self, source: SourceId, ratings: &Ratings) {
        let mut outputs = BTreeMap::<OutputId, Category>::new();
        for ((_, output), (_, category)) in ratings {
            outputs.insert(*output, *category);
        }
        if outputs.is_empty() {
            self.blocks.remove(&source);
            return;
        }
        let of_category = |(category, all): (&Category, &All)| {
            let units = outputs.iter().filter(|(_, of)| *of == category);
            let mut units = units.map(|(output, _)| output).peekable();
            units.peek()?;
            Some((*category, all.block(units)))
        };
        let blocks = Blocks {
            all: self.all.block(outputs.keys()),
            by_category: self.by_category.iter().filter_map(of_category).collect(),
        };
        self.blocks.insert(source, blocks);
    }
}
