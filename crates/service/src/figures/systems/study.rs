use std::collections::{BTreeMap, HashMap};

use domain::{
    category::Category,
    ids::{OutputId, RaterId, SystemId},
    statistics::{quality::SampleMean, standardise::RaterScale},
};
use store::{Rater, StudySystem, judgements::OutputCategory, rating_rows::RatingRow};

use crate::{
    figures::raters_in_group,
    live::{CacheKey, FigureKey, SourceJudgements, StudySnapshot},
};

use super::{
    JudgedOutput, JudgedRatings, ScoredOutput, StudySystems, SystemName, SystemScores, ZScoreOrigin,
};

/// The key of [`StudySystems`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemsKey {
    /// The dimension of the ratings.
    pub dimension: String,
    /// The category of the ranked outputs; `None` for all.
    pub category: Option<Category>,
    /// The id of the group whose raters count; `None` for all raters.
    pub group: Option<String>,
}

impl CacheKey for SystemsKey {
    type Value = StudySystems;
}

impl FigureKey for SystemsKey {
    fn compute(&self, snapshot: &StudySnapshot) -> StudySystems {
        let scores = SystemScores::from_snapshot(snapshot, &self.dimension, self.group.as_deref());
        StudySystems::from_scores(&scores, self.category)
    }
}

impl StudySystems {
    /// Computes all figures of the systems on a dimension.
    #[must_use]
    pub fn from_snapshot(
        snapshot: &StudySnapshot,
        dimension: &str,
        category: Option<Category>,
    ) -> Self {
        let scores = SystemScores::from_snapshot(snapshot, dimension, None);
        Self::from_scores(&scores, category)
    }
}

impl SystemScores {
    /// The scores of a study's outputs on one dimension, by all raters or by those of the group with this id.
    /// z-scores are based on all ratings of a rater.
    #[must_use]
    pub fn from_snapshot(snapshot: &StudySnapshot, dimension: &str, group: Option<&str>) -> Self {
        let ratings = snapshot.ratings_on(dimension);
        let scale = |rater: &Rater| Some((rater.id, ratings.scale(&rater.id).ok()?));
        Self::from_sources(
            snapshot.sources(),
            dimension,
            &snapshot.raters().iter().filter_map(scale).collect(),
            snapshot.systems(),
            snapshot.raters(),
            group,
        )
    }

    /// Computes the scores of all sources in one pass; `scales` are those of the raters.
    pub(super) fn from_sources<'a>(
        sources: impl IntoIterator<Item = &'a SourceJudgements>,
        dimension: &str,
        scales: &HashMap<RaterId, RaterScale>,
        systems: &[StudySystem],
        raters: &[Rater],
        group: Option<&str>,
    ) -> Self {
        let members = group.map(|group| raters_in_group(raters, group));
        let is_member = |row: &RatingRow| {
            let members = members.as_ref();
            members.is_none_or(|members| members.contains(&row.rater))
        };

        let shown = systems.iter().filter(|system| !system.is_hidden);
        let places: HashMap<SystemId, usize> = shown
            .clone()
            .zip(0..)
            .map(|(system, place)| (system.id, place))
            .collect();

        let mut counts = HashMap::<RaterId, usize>::new();
        let mut outputs = Vec::new();
        for (source, judgements) in sources.into_iter().enumerate() {
            for (category, rows) in judgements.by_output() {
                let on_dimension = rows
                    .iter()
                    .filter(|row| *row.dimension == *dimension && is_member(row));

                let has_own = |row: &RatingRow| {
                    let mut others = on_dimension.clone();
                    others.any(|other| !other.shared && other.rater == row.rater)
                };
                // A rater's own rating of the output takes precedence over a copy.
                let counted = || {
                    on_dimension
                        .clone()
                        .filter(|row| !row.shared || !has_own(row))
                };

                for row in counted() {
                    *counts.entry(row.rater).or_default() += 1;
                }

                let raw: SampleMean = counted().map(|row| row.value).collect();
                let z = |row: &RatingRow| Some(scales.get(&row.rater)?.z(row.value));
                let z: SampleMean = counted().filter_map(z).collect();

                let (Ok(raw), Some(system)) = (raw.value(), places.get(&category.system)) else {
                    continue;
                };

                outputs.push(ScoredOutput {
                    output: JudgedOutput {
                        system: *system,
                        source,
                        category: Some(category.majority),
                    },
                    raw,
                    z: z.value().ok(),
                });
            }
        }

        let has_no_scale =
            |rater: &&Rater| counts.contains_key(&rater.id) && !scales.contains_key(&rater.id);

        Self {
            outputs,
            systems: shown.cloned().map(system_name).collect(),
            raters: counts.len(),
            ratings: counts.values().sum(),
            z_from: ZScoreOrigin::Ratings,
            warnings: raters
                .iter()
                .filter(has_no_scale)
                .map(no_z_scores)
                .collect(),
        }
    }
}

impl JudgedRatings<RaterId, OutputId> {
    /// A study's ratings on one dimension.
    #[must_use]
    pub fn from_snapshot(snapshot: &StudySnapshot, dimension: &str) -> Self {
        let ratings = snapshot.ratings_on(dimension);

        let has_no_scale = |rater: &&Rater| {
            let index = ratings.raw.raters().binary_search(&rater.id);
            index.is_ok_and(|index| ratings.standardised.scales[index].is_err())
        };

        Self {
            warnings: snapshot
                .raters()
                .iter()
                .filter(has_no_scale)
                .map(no_z_scores)
                .collect(),
            outputs: outputs(snapshot.sources(), snapshot.systems()),
            systems: snapshot
                .systems()
                .iter()
                .cloned()
                .map(system_name)
                .collect(),
            z: ratings.standardised.z.clone(),
            raw: ratings.raw.clone(),
            z_from: ZScoreOrigin::Ratings,
        }
    }
}

fn no_z_scores(rater: &Rater) -> String {
    format!(
        "The ratings of “{}” are all the same, or just one: they have no z-scores.",
        rater.label
    )
}

/// The outputs of all sources, which are numbered as in [`SystemScores::from_sources`].
fn outputs<'a>(
    sources: impl IntoIterator<Item = &'a SourceJudgements>,
    systems: &[StudySystem],
) -> BTreeMap<OutputId, JudgedOutput> {
    let places = systems.iter().enumerate();
    let places = places.map(|(place, system)| (system.id, place));
    let places: BTreeMap<SystemId, usize> = places.collect();

    let sources = sources.into_iter().enumerate();
    let categories = sources.flat_map(|(source, judgements)| {
        let categories = judgements.categories.iter();
        categories.map(move |category| (source, category))
    });

    let output = |(source, category): (usize, &OutputCategory)| {
        let judged_output = JudgedOutput {
            system: *places.get(&category.system)?,
            source,
            category: Some(category.majority),
        };
        Some((category.output, judged_output))
    };

    categories.filter_map(output).collect()
}

fn system_name(system: StudySystem) -> SystemName {
    SystemName {
        name: system.name,
        kind: Some(system.kind),
        is_hidden: system.is_hidden,
    }
}
