//! One study in memory.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::{
    ids::{SourceId, StudyId},
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
    dimension_ratings::{DimensionRatings, DimensionRatingsKey},
    source_work::SourceWork,
};
use crate::computation::FigureError;

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

/// The key of the names of the dimensions that have ratings, but for copies at identical outputs.
#[derive(PartialEq, Eq)]
struct RatedDimensionsKey;

impl CacheKey for RatedDimensionsKey {
    type Value = HashSet<Arc<str>>;
}

impl FigureKey for RatedDimensionsKey {
    fn compute(&self, snapshot: &StudySnapshot) -> HashSet<Arc<str>> {
        let rows = snapshot.ratings().filter(|row| !row.shared);
        rows.map(|row| row.dimension.clone()).collect()
    }
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

    /// The ratings on a dimension, without copies at identical outputs.
    #[must_use]
    pub fn ratings_on(&self, dimension: &str) -> Arc<DimensionRatings> {
        self.get_or_compute(DimensionRatingsKey {
            dimension: dimension.to_owned(),
        })
    }

    /// The rows of these ratings, in the order of [`StudySnapshot::ratings`].
    pub(crate) fn own_ratings(&self, dimension: &str) -> impl Iterator<Item = &RatingRow> + Clone {
        let rows = self.ratings();
        rows.filter(move |row| !row.shared && *row.dimension == *dimension)
    }

    /// Whether a dimension has ratings that count.
    #[must_use]
    pub fn has_ratings(&self, dimension: &str) -> bool {
        self.get_or_compute(RatedDimensionsKey).contains(dimension)
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
        dimensions.sort_by_cached_key(|dimension| !self.has_ratings(&dimension.name));

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
                    self.sources.insert(source, judgements);
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

        // Each reads on its own connection, because most of the time is the database's.
        let (rows, categories, work, systems, rated_dimensions) = tokio::try_join!(
            store.ratings_by_source(study, StudyPart::Whole, scope),
            read_categories(store, study, StudyPart::Whole, scope),
            SourceWork::read(store, study, StudyPart::Whole, &raters),
            store.systems(study),
            store.rated_dimensions(study),
        )?;
        let ratings = rows.iter().map(Vec::len).sum();
        self.raters = raters;
        self.systems = systems;
        self.rated_dimensions = rated_dimensions;
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
