use std::collections::{BTreeMap, HashMap};

use domain::{
    category::Category,
    ids::{OutputId, RaterId, SourceId, SystemId},
    statistics::{
        DeviationKind, RatingTable,
        quality::SampleMean,
        standardise::{RaterScale, standardise},
    },
};
use store::{Rater, StudySystem, judgements::OutputCategory, rating_rows::RatingRow};

use crate::live::{SourceJudgements, StudySnapshot};

use super::{
    JudgedOutput, JudgedRatings, ScoredOutput, StudySystems, SystemName, SystemScores, ZScoreOrigin,
};

impl StudySystems {
    /// What is held of a study in figures.
    #[must_use]
    pub fn from_snapshot(
        held: &StudySnapshot,
        dimension: &str,
        category: Option<Category>,
    ) -> Self {
        Self::from_scores(&SystemScores::from_snapshot(held, dimension), category)
    }
}

impl SystemScores {
    /// What is held of a study on one dimension.
    #[must_use]
    pub fn from_snapshot(held: &StudySnapshot, dimension: &str) -> Self {
        let scored = held.dimension(dimension);
        let scale = |rater: &Rater| Some((rater.id, scored?.scale(&rater.id).ok()?));
        Self::from_sources(
            held.sources(),
            dimension,
            &held.raters().iter().filter_map(scale).collect(),
            held.systems(),
            held.raters(),
        )
    }

    /// In one go over all sources; `scales` are the raters' own.
    pub(super) fn from_sources<'a>(
        sources: impl IntoIterator<Item = &'a SourceJudgements>,
        dimension: &str,
        scales: &HashMap<RaterId, RaterScale>,
        systems: &[StudySystem],
        raters: &[Rater],
    ) -> Self {
        let places: HashMap<SystemId, usize> = systems
            .iter()
            .zip(0..)
            .map(|(it, place)| (it.id, place))
            .collect();
        let mut counts = HashMap::<RaterId, usize>::new();
        let mut outputs = Vec::new();
        for (source, judged) in sources.into_iter().enumerate() {
            for (of, rows) in judged.by_output() {
                let on = rows.iter().filter(|row| *row.dimension == *dimension);
                let own =
                    |row: &RatingRow| on.clone().any(|it| !it.shared && it.rater == row.rater);
                // What a rater gave the output itself comes before a copy.
                let counted = || on.clone().filter(|row| !row.shared || !own(row));
                for row in counted() {
                    *counts.entry(row.rater).or_default() += 1;
                }
                let raw: SampleMean = counted().map(|row| row.value).collect();
                let z = |row: &RatingRow| Some(scales.get(&row.rater)?.z(row.value));
                let z: SampleMean = counted().filter_map(z).collect();
                let (Ok(raw), Some(system)) = (raw.value(), places.get(&of.system)) else {
                    continue;
                };
                let of = JudgedOutput {
                    system: *system,
                    source,
                    category: of.majority,
                };
                outputs.push(ScoredOutput {
                    output: of,
                    raw,
                    z: z.value().ok(),
                });
            }
        }
        let without =
            |rater: &&Rater| counts.contains_key(&rater.id) && !scales.contains_key(&rater.id);
        Self {
            outputs,
            systems: systems.iter().cloned().map(system_name).collect(),
            raters: counts.len(),
            ratings: counts.values().sum(),
            z_from: ZScoreOrigin::Ratings,
            warnings: raters.iter().filter(without).map(constant).collect(),
        }
    }
}

impl JudgedRatings<RaterId, OutputId> {
    /// What is held of a study on one dimension.
    #[must_use]
    pub fn from_snapshot(held: &StudySnapshot, dimension: &str) -> Self {
        let own = held.ratings();
        let own = own.filter(|row| !row.shared && *row.dimension == *dimension);
        let raw = RatingTable::new(own.map(|row| (row.rater, row.output, row.value)))
            .expect("the store keeps one finite rating a rater, output and dimension");
        let of = standardise(&raw, DeviationKind::Population);
        let without = |rater: &&Rater| {
            let at = raw.raters().binary_search(&rater.id);
            at.is_ok_and(|at| of.scales[at].is_err())
        };
        Self {
            warnings: held.raters().iter().filter(without).map(constant).collect(),
            outputs: outputs(held.categories(), held.systems()),
            systems: held.systems().iter().cloned().map(system_name).collect(),
            z: of.z,
            raw,
            z_from: ZScoreOrigin::Ratings,
        }
    }
}

fn constant(rater: &Rater) -> String {
    format!(
        "The ratings of “{}” are all the same, or just one: they have no z-scores.",
        rater.label
    )
}

fn outputs<'a>(
    categories: impl IntoIterator<Item = &'a OutputCategory>,
    systems: &[StudySystem],
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

fn system_name(system: StudySystem) -> SystemName {
    SystemName {
        name: system.name,
        kind: Some(system.kind),
    }
}
