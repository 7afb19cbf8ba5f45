//! One study in memory.

use std::{
    any::Any,
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
use tokio::task::spawn_blocking;

use super::{
    StudyCorrections,
    dimension_sums::{DimensionSums, SourceRatings},
    source_work::{SourceWork, SourceWorkRecords},
};

/// Sources that are read again one by one; where more changed, the whole study is.
const ONE_BY_ONE: usize = 64;

/// A study that took longer to read is told of in the log.
const WORTH_TELLING_MS: i64 = 200;

/// What figures of a study are made of, as of an event.
#[derive(Default)]
pub struct StudySnapshot {
    /// The number of the event up to which it is true; none before anything was read.
    event: Option<i64>,
    raters: Vec<Rater>,
    systems: Vec<StudySystem>,
    sources: BTreeMap<SourceId, SourceJudgements>,
    dimensions: BTreeMap<Arc<str>, DimensionSums>,
    /// The dimensions that have ratings, whether these count or not, each with its scale.
    rated: Vec<Dimension>,
    /// What was made of it since it last changed.
    cache: Mutex<HashMap<String, Arc<dyn Any + Send + Sync>>>,
}

/// What people said of a source's outputs, and how they came to it.
#[derive(Debug, Default)]
pub struct SourceJudgements {
    /// The ratings that count, output by output as the source has them.
    pub ratings: Vec<RatingRow>,
    /// The categories of main outputs, in the same order.
    pub categories: Vec<OutputCategory>,
    /// What else was recorded.
    pub work: SourceWork,
}

impl StudySnapshot {
    /// The number of the newest event that figures tell of.
    #[must_use]
    pub fn event(&self) -> i64 {
        self.event.unwrap_or(0)
    }

    /// The study's raters, in the order in which they came.
    #[must_use]
    pub fn raters(&self) -> &[Rater] {
        &self.raters
    }

    /// Who wrote the study's outputs.
    #[must_use]
    pub fn systems(&self) -> &[StudySystem] {
        &self.systems
    }

    /// What people said, source by source in the order in which these came.
    pub fn sources(&self) -> impl Iterator<Item = &SourceJudgements> + Clone {
        self.sources.values()
    }

    /// The ratings that count, source by source in the order in which these came, and output by output
    /// as a source has them.
    pub fn ratings(&self) -> impl Iterator<Item = &RatingRow> + Clone {
        self.sources.values().flat_map(|judged| &judged.ratings)
    }

    /// The categories of main outputs, source by source.
    pub fn categories(&self) -> impl Iterator<Item = &OutputCategory> + Clone {
        self.sources.values().flat_map(|judged| &judged.categories)
    }

    /// What people corrected of the automatic edits, all together.
    #[must_use]
    pub fn corrections(&self) -> StudyCorrections {
        let mut all = StudyCorrections::default();
        for source in self.sources() {
            all += &source.work.corrections;
        }
        all
    }

    /// The ratings on a dimension as sums, where there are some.
    #[must_use]
    pub fn dimension(&self, name: &str) -> Option<&DimensionSums> {
        self.dimensions.get(name)
    }

    /// The dimensions that figures can be asked for: those of the study's settings and any others that
    /// have ratings, as an import or an earlier setting may have left them. Those with ratings that
    /// count come first, so that the first is worth showing where none is asked for.
    #[must_use]
    pub fn dimensions(&self, of_settings: &[Dimension]) -> Vec<Dimension> {
        let is_set = |it: &&Dimension| of_settings.iter().any(|set| set.name == it.name);
        let others = self.rated.iter().filter(|it| !is_set(it));
        let mut all: Vec<_> = of_settings.iter().chain(others).cloned().collect();
        all.sort_by_key(|it| self.dimension(&it.name).is_none_or(DimensionSums::is_empty));
        all
    }

    /// What was made under this name since the study last changed, or is made now.
    pub fn get_or_compute<T: Send + Sync + 'static>(
        &self,
        name: String,
        make: impl FnOnce(&Self) -> T,
    ) -> Arc<T> {
        let known = self.cached(&name);
        known.unwrap_or_else(|| self.insert_cached(name, make(self)))
    }

    /// What was kept under this name since the study last changed.
    #[must_use]
    pub fn cached<T: Send + Sync + 'static>(&self, name: &str) -> Option<Arc<T>> {
        self.lock_cache().get(name)?.clone().downcast().ok()
    }

    /// Keeps what was made of the study until it changes, in the place of what had this name.
    pub fn insert_cached<T: Send + Sync + 'static>(&self, name: String, new: T) -> Arc<T> {
        let new = Arc::new(new);
        self.lock_cache().insert(name, new.clone());
        new
    }

    fn lock_cache(&self) -> MutexGuard<'_, HashMap<String, Arc<dyn Any + Send + Sync>>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what events changed since.
    pub(super) async fn catch_up(
        &mut self,
        store: &Store,
        study: StudyId,
        which: RatingScope,
        now_ms: fn() -> i64,
    ) -> store::Result<()> {
        // The number first: what is read afterwards is at least as new, and read again if newer.
        let newest = store.newest_event(study).await?.unwrap_or(0);
        let changed = match self.event {
            Some(event) if event == newest => return Ok(()),
            Some(event) => store.figure_changes_after(study, event).await?,
            None => FigureChanges::Everything,
        };
        match changed {
            FigureChanges::Sources(sources) if sources.is_empty() => {}
            FigureChanges::Sources(sources) if sources.len() <= ONE_BY_ONE => {
                self.raters = store.raters(study).await?;
                for source in sources {
                    let part = StudyPart::Source(source);
                    let work = SourceWorkRecords::read(store, study, part).await?;
                    let judged = SourceJudgements {
                        ratings: store.ratings_of(study, part, which).await?,
                        categories: store.categories_of(study, part).await?,
                        work: work
                            .by_source(&self.raters)
                            .remove(&source)
                            .unwrap_or_default(),
                    };
                    self.replace(source, judged);
                }
                self.forget();
            }
            _ => {
                let begun = now_ms();
                let ratings = self.read_all(store, study, which).await?;
                let ms = now_ms() - begun;
                if ms > WORTH_TELLING_MS {
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
        which: RatingScope,
    ) -> store::Result<usize> {
        let rows = store.ratings(study, which).await?;
        let categories = store.categories(study).await?;
        let work = SourceWorkRecords::read(store, study, StudyPart::Whole).await?;
        let (ratings, raters) = (rows.len(), store.raters(study).await?);
        self.systems = store.systems(study).await?;
        self.rated = store.rated_dimensions(study).await?;
        self.raters.clone_from(&raters);
        let build = move || build_parts(rows, categories, work.by_source(&raters));
        (self.sources, self.dimensions) = spawn_blocking(build)
            .await
            .expect("building does not panic");
        self.forget();
        Ok(ratings)
    }

    fn forget(&mut self) {
        self.cache
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

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
            let scored = self.dimensions.entry(name.clone()).or_default();
            scored.replace(source, old, &new);
        }
        self.sources.insert(source, after);
    }
}

impl SourceJudgements {
    /// The rated outputs with their ratings, on whatever dimension.
    pub fn by_output(&self) -> impl Iterator<Item = (&OutputCategory, &[RatingRow])> {
        let mut outputs = self.categories.iter();
        let rated = self.ratings.chunk_by(|one, next| one.output == next.output);
        rated.filter_map(move |rows| Some((outputs.find(|it| it.output == rows[0].output)?, rows)))
    }

    /// The ratings on a dimension that are units of their own.
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

/// Who rated what, where the rating is a unit of its own.
fn rating_unit(row: &RatingRow) -> Option<(RaterId, OutputId)> {
    (!row.shared).then_some((row.rater, row.output))
}

fn majorities(categories: &[OutputCategory]) -> HashMap<OutputId, Category> {
    let each = categories.iter();
    each.map(|category| (category.output, category.majority))
        .collect()
}

type SnapshotParts = (
    BTreeMap<SourceId, SourceJudgements>,
    BTreeMap<Arc<str>, DimensionSums>,
);

fn build_parts(
    rows: Vec<RatingRow>,
    categories: Vec<OutputCategory>,
    work: BTreeMap<SourceId, SourceWork>,
) -> SnapshotParts {
    let majority = majorities(&categories);
    let mut by_dimension = BTreeMap::<Arc<str>, Vec<_>>::new();
    for row in &rows {
        if let (Some((rater, output)), Some(category)) =
            (rating_unit(row), majority.get(&row.output))
        {
            let rated = (row.value, *category);
            let entry = (row.recorded_at, (row.source, rater, output, rated));
            by_dimension
                .entry(row.dimension.clone())
                .or_default()
                .push(entry);
        }
    }
    let dimensions = by_dimension.into_iter().map(|(name, mut rows)| {
        rows.sort_by_key(|(recorded_at, _)| *recorded_at);
        let rows: Vec<_> = rows.into_iter().map(|(_, row)| row).collect();
        (name, DimensionSums::replay(&rows))
    });
    let dimensions = dimensions.collect();
    let mut sources = BTreeMap::<SourceId, SourceJudgements>::new();
    for (source, work) in work {
        sources.entry(source).or_default().work = work;
    }
    for row in rows {
        sources.entry(row.source).or_default().ratings.push(row);
    }
    for category in categories {
        sources
            .entry(category.source)
            .or_default()
            .categories
            .push(category);
    }
    (sources, dimensions)
}
