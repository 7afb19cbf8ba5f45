use std::collections::{BTreeMap, HashSet};

use domain::{
    category::Category,
    ids::{OutputId, RaterId, SourceId, SystemId},
    statistics::{
        Ratings,
        standardise::{Deviation, Scale, standardise, standardise_by},
    },
};
use store::{Rater, System, judgements::OutputCategory, ratings::RatingRow};

use crate::live::Held;

use super::{Judged, JudgedOutput, SystemFigures, SystemName, ZFrom};

impl SystemFigures {
    /// What is held of a study in figures.
    #[must_use]
    pub fn of_study(held: &Held, dimension: &str, category: Option<Category>) -> Self {
        Self::of(&Judged::of_study(held, dimension), category)
    }
}

impl Judged<RaterId, OutputId> {
    /// What is held of a study on one dimension.
    #[must_use]
    pub fn of_study(held: &Held, dimension: &str) -> Self {
        let rows = held.ratings();
        let rows = rows.filter(|row| *row.dimension == *dimension);
        Self::from(
            rows,
            held.categories(),
            held.systems().to_vec(),
            held.raters(),
        )
    }

    /// The same with each unit once: without ratings that stand at an identical output.
    #[must_use]
    pub fn once(held: &Held, dimension: &str) -> Self {
        let rows = held.ratings();
        let rows = rows.filter(|row| !row.shared && *row.dimension == *dimension);
        Self::from(
            rows,
            held.categories(),
            held.systems().to_vec(),
            held.raters(),
        )
    }

    /// The table of rows of one dimension.
    pub(super) fn from<'a>(
        rows: impl IntoIterator<Item = &'a RatingRow> + Clone,
        categories: impl IntoIterator<Item = &'a OutputCategory>,
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

fn outputs<'a>(
    categories: impl IntoIterator<Item = &'a OutputCategory>,
    systems: &[System],
) -> BTreeMap<OutputId, JudgedOutput> {
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
    categories.into_iter().filter_map(output).collect()
}

fn named(system: System) -> SystemName {
    SystemName {
        name: system.name,
        kind: Some(system.kind),
    }
}
