//! One study in memory.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::{
    category::Category,
    ids::{OutputId, RaterId, SourceId, StudyId},
    study::Dimension,
};
use store::{
    Rater, Store, StudySystem,
    figure_changes::FigureChanges,
    judgements::OutputCategory,
    rating_rows::{RatingRow, RatingScope, StudyPart},
};

use super::{
    CacheKey, FigureKey, MAX_SINGLE_READS, StudyCorrections,
    cache::FigureCache,
    dimension_sums::{DimensionSums, SourceRatings},
    source_work::SourceWork,
};
use crate::computation::{FigureError, compute};

/// Reading a study is logged if it takes longer than this, in milliseconds.
const SLOW_READ_MS: i64 = 200;

/// The data of a study from which its figures are computed, as of an event.
#[derive(Default)]
pub struct StudySnapshot {
    /// The number of the newest event that is included; `None` before anything was read.
    event: Option<i64>,
    raters: Vec<Rater>,
    systems: Vec<StudySystem>,
    sources: BTreeMap<SourceId, SourceJudgements>,
    dimensions: BTreeMap<Arc<str>, DimensionSums>,
    /// The dimensions that have ratings, whether these count or not, each with its scale.
    rated_dimensions: Vec<Dimension>,
    /// Figures that were computed since the study last changed.
    cache: Mutex<FigureCache>,
}

/// The judgements of a source's outputs, and the work behind them.
#[derive(Debug, Default)]
pub struct SourceJudgements {
    /// The ratings that count, output by output in the order of the source.
    pub ratings: Vec<RatingRow>,
    /// The categories of main outputs, in the same order.
    pub categories: Vec<OutputCategory>,
    /// The other records of the work at the source.
    pub work: SourceWork,
}

impl StudySnapshot {
    /// The number of the newest event that figures include.
    #[must_use]
    pub fn event(&self) -> i64 {
        self.event.unwrap_or(0)
    }

    /// The study's raters, in the order in which they joined.
    #[must_use]
    pub fn raters(&self) -> &[Rater] {
        &self.raters
    }

    /// The systems that wrote the study's outputs.
    #[must_use]
    pub fn systems(&self) -> &[StudySystem] {
        &self.systems
    }

    /// The judgements source by source, in the order in which the sources were imported.
    pub fn sources(&self) -> impl Iterator<Item = &SourceJudgements> + Clone {
        self.sources.values()
    }

    /// The sources, in the order of import.
    pub fn source_ids(&self) -> impl Iterator<Item = SourceId> + Clone {
        self.sources.keys().copied()
    }

    /// The ratings that count, source by source in the order of import, and output by output in the order of the
    /// source.
    pub fn ratings(&self) -> impl Iterator<Item = &RatingRow> + Clone {
        self.sources.values().flat_map(|source| &source.ratings)
    }

    /// The categories of main outputs, source by source.
    pub fn categories(&self) -> impl Iterator<Item = &OutputCategory> + Clone {
        self.sources.values().flat_map(|source| &source.categories)
    }

    /// The corrections of automatic edits in the whole study.
    #[must_use]
    pub fn corrections(&self) -> StudyCorrections {
        let mut corrections = StudyCorrections::default();
        for source in self.sources() {
            corrections += &source.work.corrections;
        }
        corrections
    }

    /// The sums over the ratings on a dimension, if there are any.
    #[must_use]
    pub fn dimension(&self, name: &str) -> Option<&DimensionSums> {
        self.dimensions.get(name)
    }

    /// The dimensions for which figures can be shown: those of the study's settings, and any others that
    /// have ratings, from an import or earlier settings. Those with ratings that count come first, so
    /// that the first one is a useful default.
    #[must_use]
    pub fn dimensions(&self, of_settings: &[Dimension]) -> Vec<Dimension> {
        let is_set = |name: &str| of_settings.iter().any(|setting| setting.name == name);
        let others = self.rated_dimensions.iter();
        let others = others.filter(|dimension| !is_set(&dimension.name));
        let mut dimensions: Vec<_> = of_settings.iter().chain(others).cloned().collect();

        // The sort is stable, so the order is otherwise kept.
        dimensions.sort_by_key(|dimension| {
            let sums = self.dimension(&dimension.name);
            sums.is_none_or(DimensionSums::is_empty)
        });

        dimensions
    }

    /// The figure of this key, computed once until the study changes.
    pub fn get_or_compute<K: FigureKey>(&self, key: K) -> Arc<K::Value> {
        self.cached(&key).unwrap_or_else(|| {
            let figure = key.compute(self);
            self.insert_cached(key, figure)
        })
    }

    /// The value that was cached under the key since the study last changed.
    #[must_use]
    pub fn cached<K: CacheKey>(&self, key: &K) -> Option<Arc<K::Value>> {
        self.lock_cache().get(key)
    }

    /// Caches a value until the study changes, replacing one with an equal key.
    pub fn insert_cached<K: CacheKey>(&self, key: K, value: K::Value) -> Arc<K::Value> {
        let value = Arc::new(value);
        self.lock_cache().insert(key, value.clone());
        value
    }

    fn lock_cache(&self) -> MutexGuard<'_, FigureCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads again what events have changed since the last read.
    pub(super) async fn catch_up(
        &mut self,
        store: &Store,
        study: StudyId,
        scope: RatingScope,
        now_ms: fn() -> i64,
    ) -> Result<(), FigureError> {
        // The event number is read before the data. What is read after it is at least as new as the
        // number says, and whatever is newer will be read again.
        let newest = store.newest_event(study).await?.unwrap_or(0);

        let changed = match self.event {
            Some(event) if event == newest => return Ok(()),
            Some(event) => store.figure_changes_after(study, event).await?,
            None => FigureChanges::Everything,
        };

        match changed {
            FigureChanges::Sources(sources) if sources.is_empty() => {}
            FigureChanges::Sources(sources) if sources.len() <= MAX_SINGLE_READS => {
                self.raters = store.scope_raters(study, scope).await?;
                for source in sources {
                    let part = StudyPart::Source(source);
                    let mut work = SourceWork::read(store, study, part, &self.raters).await?;
                    let ratings = store.ratings_by_source(study, part, scope).await?;
                    let judgements = SourceJudgements {
                        ratings: ratings.into_iter().next().unwrap_or_default(),
                        categories: read_categories(store, study, part, scope).await?,
                        work: work.remove(&source).unwrap_or_default(),
                    };
                    self.replace(source, judgements);
                }
                self.clear_cache();
            }
            _ => {
                let begun_ms = now_ms();
                let ratings = self.read_all(store, study, scope).await?;
                let ms = now_ms() - begun_ms;
                if ms > SLOW_READ_MS {
                    tracing::info!(%study, ratings, ms, "a study was read into memory");
                }
            }
        }

        self.event = Some(newest);
        Ok(())
    }

    async fn read_all(
        &mut self,
        store: &Store,
        study: StudyId,
        scope: RatingScope,
    ) -> Result<usize, FigureError> {
        let raters = store.scope_raters(study, scope).await?;

        // Each reads on its own connection, because most of the time is the database's. Sums are computed while
        // others read.
        let judgements = async {
            let (rows, categories) = tokio::try_join!(
                store.ratings_by_source(study, StudyPart::Whole, scope),
                read_categories(store, study, StudyPart::Whole, scope),
            )?;
            let sum = move || (sum_by_dimension(&rows, &categories), rows, categories);
            compute(sum).await
        };
        let others = async {
            Ok(tokio::try_join!(
                SourceWork::read(store, study, StudyPart::Whole, &raters),
                store.systems(study),
                store.rated_dimensions(study),
            )?)
        };
        let ((dimensions, rows, categories), (work, systems, rated_dimensions)) =
            tokio::try_join!(judgements, others)?;
        let ratings = rows.iter().map(Vec::len).sum();
        self.raters = raters;
        self.systems = systems;
        self.rated_dimensions = rated_dimensions;
        self.dimensions = dimensions;
        self.sources = group_by_source(rows, categories, work);
        self.clear_cache();
        Ok(ratings)
    }

    fn clear_cache(&mut self) {
        self.cache
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    /// Replaces a source's judgements, also in the sums of every dimension that the old or the new ones have.
    fn replace(&mut self, source: SourceId, after: SourceJudgements) {
        let before = self.sources.remove(&source).unwrap_or_default();

        let names: BTreeSet<&Arc<str>> = before
            .ratings
            .iter()
            .chain(&after.ratings)
            .map(|row| &row.dimension)
            .collect();

        for name in names {
            let (old, new) = (before.ratings_on(name), after.ratings_on(name));
            let sums = self.dimensions.entry(name.clone()).or_default();
            sums.replace(source, old, &new);
        }

        self.sources.insert(source, after);
    }
}

/// The categories of a part of the study: for the scope of a consensus those on which raters agreed, if there are
/// any, or else the majority's.
async fn read_categories(
    store: &Store,
    study: StudyId,
    part: StudyPart,
    scope: RatingScope,
) -> store::Result<Vec<OutputCategory>> {
    let mut categories = store.categories_of(study, part).await?;

    if scope == RatingScope::Consensus {
        let agreed = store.consensus_categories(study, part).await?;
        for category in &mut categories {
            if let Some(own) = agreed.get(&category.judged_as) {
                category.majority = *own;
            }
        }
    }

    Ok(categories)
}

impl SourceJudgements {
    /// The rated outputs with their ratings on all dimensions.
    pub fn by_output(&self) -> impl Iterator<Item = (&OutputCategory, &[RatingRow])> {
        let mut outputs = self.categories.iter();
        let by_output = self.ratings.chunk_by(|row, next| row.output == next.output);
        by_output.filter_map(move |rows| {
            // Both lists are in the order of outputs, so each search continues where the last one ended.
            let output = outputs.find(|output| output.output == rows[0].output)?;
            Some((output, rows))
        })
    }

    /// The ratings on a dimension that are separate units.
    fn ratings_on(&self, dimension: &Arc<str>) -> SourceRatings {
        let categories = majorities(&self.categories);
        let rows = self.ratings.iter();
        rows.filter(|row| row.dimension == *dimension)
            .filter_map(|row| {
                Some((
                    rating_unit(row)?,
                    (row.value, *categories.get(&row.output)?),
                ))
            })
            .collect()
    }
}

/// The rater and the output, if the rating is a separate unit rather than a copy.
fn rating_unit(row: &RatingRow) -> Option<(RaterId, OutputId)> {
    (!row.shared).then_some((row.rater, row.output))
}

fn majorities(categories: &[OutputCategory]) -> HashMap<OutputId, Category> {
    let each = categories.iter();
    each.map(|category| (category.output, category.majority))
        .collect()
}

/// The sums over the ratings on each dimension.
fn sum_by_dimension(
    rows: &[Vec<RatingRow>],
    categories: &[OutputCategory],
) -> BTreeMap<Arc<str>, DimensionSums> {
    let majorities = majorities(categories);

    let mut by_dimension = BTreeMap::<Arc<str>, Vec<_>>::new();
    for row in rows.iter().flatten() {
        if let (Some((rater, output)), Some(category)) =
            (rating_unit(row), majorities.get(&row.output))
        {
            let rating = (row.value, *category);
            let entry = (row.recorded_at, (row.source, rater, output, rating));
            by_dimension
                .entry(row.dimension.clone())
                .or_default()
                .push(entry);
        }
    }

    let dimensions = by_dimension.into_iter().map(|(name, mut rows)| {
        // The history of agreement needs ratings in the order in which they were given.
        rows.sort_by_key(|(recorded_at, _)| *recorded_at);
        let rows: Vec<_> = rows.into_iter().map(|(_, row)| row).collect();
        (name, DimensionSums::replay(&rows))
    });
    dimensions.collect()
}

fn group_by_source(
    rows: Vec<Vec<RatingRow>>,
    categories: Vec<OutputCategory>,
    work: BTreeMap<SourceId, SourceWork>,
) -> BTreeMap<SourceId, SourceJudgements> {
    let mut sources = BTreeMap::<SourceId, SourceJudgements>::new();

    for (source, work) in work {
        sources.entry(source).or_default().work = work;
    }
    for ratings in rows {
        if let Some(source) = ratings.first().map(|row| row.source) {
            sources.entry(source).or_default().ratings = ratings;
        }
    }
    for category in categories {
        sources
            .entry(category.source)
            .or_default()
            .categories
            .push(category);
    }

    // The lists stay in memory, most of them unchanged.
    for source in sources.values_mut() {
        source.ratings.shrink_to_fit();
        source.categories.shrink_to_fit();
    }

    sources
}
