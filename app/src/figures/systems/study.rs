use std::collections::{BTreeMap, HashSet};

use domain::{
    category::Category,
    ids::{OutputId, RaterId, SourceId, StudyId, SystemId},
    statistics::{
        Ratings,
        standardise::{Deviation, Scale, standardise, standardise_by},
    },
};
use store::{
    Rater, Store, System,
    judgements::OutputCategory,
    ratings::{RatingRow, Which},
};

use super::{Judged, JudgedOutput, SystemFigures, SystemName, ZFrom};

impl SystemFigures {
    /// Reads a study's ratings that count and computes, off the threads that serve requests.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn of_study(
        store: &Store,
        study: StudyId,
        dimension: &str,
        which: Which,
        category: Option<Category>,
    ) -> store::Result<Self> {
        let judged = Judged::of_study(store, study, dimension, which).await?;
        let work = move || Self::of(&judged, category);
        Ok(tokio::task::spawn_blocking(work)
            .await
            .expect("computing does not panic"))
    }
}

impl Judged<RaterId, OutputId> {
    /// Reads a study's ratings on one dimension.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn of_study(
        store: &Store,
        study: StudyId,
        dimension: &str,
        which: Which,
    ) -> store::Result<Self> {
        let mut rows = store.ratings(study, which).await?;
        rows.retain(|row| *row.dimension == *dimension);
        let categories = store.categories(study).await?;
        let systems = store.systems(study).await?;
        let raters = store.raters(study).await?;
        let work = move || Self::from(&rows, &categories, systems, &raters);
        Ok(tokio::task::spawn_blocking(work)
            .await
            .expect("computing does not panic"))
    }

    /// The table of rows of one dimension.
    pub(super) fn from<'a>(
        rows: impl IntoIterator<Item = &'a RatingRow> + Clone,
        categories: &[OutputCategory],
        systems: Vec<System>,
        raters: &[Rater],
    ) -> Self {
        let (scales, raw) = (scales(rows.clone()), raw(rows));
        let z = standardise_by(&raw, |rater| scales.get(rater).copied());
        let without = raters.iter().filter(|rater| {
            raw.raters().binary_search(&rater.id).is_ok() && !scales.contains_key(&rater.id)
        });
        let warnings = without.map(|rater| {
            format!(
                "The ratings of “{}” are all the same, or just one: they have no z-scores.",
                rater.label
            )
        });
        Self {
            warnings: warnings.collect(),
            outputs: outputs(categories, &systems),
            systems: systems.into_iter().map(named).collect(),
            raw,
            z,
            z_from: ZFrom::Ratings,
        }
    }
}

/// Every rater's mean and spread over what they entered: a rating that stands at several identical
/// outputs counts once.
fn scales<'a>(rows: impl IntoIterator<Item = &'a RatingRow>) -> BTreeMap<RaterId, Scale> {
    let own = rows.into_iter().filter(|row| !row.shared);
    let table = table(own.map(|row| (row.rater, row.output, row.value)));
    let of = standardise(&table, Deviation::Population).scales;
    let scales = table.raters().iter().zip(of);
    scales
        .filter_map(|(rater, scale)| Some((*rater, scale.ok()?)))
        .collect()
}

/// All ratings, those that stand at identical outputs as well. What a rater gave the output itself
/// comes before a copy.
fn raw<'a>(rows: impl IntoIterator<Item = &'a RatingRow> + Clone) -> Ratings<RaterId, OutputId> {
    let own = rows.clone().into_iter().filter(|row| !row.shared);
    let given: HashSet<_> = own.map(|row| (row.rater, row.output)).collect();
    let counted = rows
        .into_iter()
        .filter(|row| !row.shared || !given.contains(&(row.rater, row.output)));
    table(counted.map(|row| (row.rater, row.output, row.value)))
}

fn table(entries: impl Iterator<Item = (RaterId, OutputId, f64)>) -> Ratings<RaterId, OutputId> {
    Ratings::new(entries).expect("the store keeps one finite rating a rater, output and dimension")
}

fn outputs(categories: &[OutputCategory], systems: &[System]) -> BTreeMap<OutputId, JudgedOutput> {
    let places = systems.iter().enumerate().map(|(place, it)| (it.id, place));
    let places: BTreeMap<SystemId, usize> = places.collect();
    let mut sources: BTreeMap<SourceId, usize> = BTreeMap::new();
    let output = |of: &OutputCategory| {
        let next = sources.len();
        let judged = JudgedOutput {
            system: *places.get(&of.system)?,
            source: *sources.entry(of.source).or_insert(next),
            category: of.majority,
        };
        Some((of.output, judged))
    };
    categories.iter().filter_map(output).collect()
}

fn named(system: System) -> SystemName {
    SystemName {
        name: system.name,
        kind: Some(system.kind),
    }
}
