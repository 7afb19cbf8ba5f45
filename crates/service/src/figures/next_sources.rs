//! The sources whose ratings narrow a study's ranking of systems most.

use std::collections::{BTreeMap, HashMap, HashSet};

use domain::{
    ids::{MetricId, OutputId, SourceId, SystemId},
    statistics::source_choice::{RankedOutput, RankedSource, choose_sources, explained_by_scores},
};
use store::metrics::MetricScore;

use super::systems::{ScoredOutput, SystemScores};
use crate::live::{SourceJudgements, StudySnapshot};

/// A metric helps to choose sources if it explains at least this share of the variance between sources.
const LEAST_EXPLAINED: f64 = 0.05;

/// Chooses up to `count` of the `open` sources by the ratings on a dimension. Nobody has these sources yet; they are
/// in the order in which they would be given out. Empty if that order is as good: if the ranking is certain, or if
/// all sources are equally informative.
///
/// Among the metrics with `scores`, the one that explains the ratings best helps, if it explains enough. No metric may
/// have learned from ratings of these sources.
#[must_use]
pub fn choose_next_sources(
    snapshot: &StudySnapshot,
    dimension: &str,
    open: &[SourceId],
    scores: &[MetricScore],
    count: usize,
) -> Vec<SourceId> {
    let rated = SystemScores::from_snapshot(snapshot, dimension, None);
    let systems = rated.systems.len();
    let study = RankedStudy::new(snapshot, &rated, open);

    let mut by_metric = BTreeMap::<MetricId, HashMap<OutputId, f64>>::new();
    for score in scores {
        let of_metric = by_metric.entry(score.metric).or_default();
        of_metric.insert(score.output, score.value);
    }

    let assisted = by_metric.values().map(|scores| {
        let sources = study.sources(scores);
        (explained_by_scores(systems, &sources), sources)
    });
    let best = assisted.max_by(|(a, _), (b, _)| a.total_cmp(b));
    let sources = match best {
        Some((explained, sources)) if explained >= LEAST_EXPLAINED => sources,
        _ => study.sources(&HashMap::new()),
    };

    let chosen = choose_sources(systems, &sources, count);

    let untouched = sources.iter().zip(0..);
    let untouched = untouched.filter(|(source, _)| !source.is_given);
    let listed = untouched.map(|(_, place)| place).take(chosen.len());
    if listed.eq(chosen.iter().copied()) {
        return vec![];
    }

    let id = |place: usize| study.sources[place].id;
    chosen.into_iter().map(id).collect()
}

/// The sources of a study: first those that nobody has, in their order.
struct RankedStudy<'a> {
    sources: Vec<SourceInStudy<'a>>,
    systems: HashMap<SystemId, usize>,
    /// The mean ratings by source and system.
    ratings: HashMap<(usize, usize), f64>,
}

struct SourceInStudy<'a> {
    id: SourceId,
    /// Its number in the snapshot.
    number: usize,
    judgements: &'a SourceJudgements,
    is_open: bool,
}

impl<'a> RankedStudy<'a> {
    fn new(snapshot: &'a StudySnapshot, rated: &SystemScores, open: &[SourceId]) -> Self {
        let has_z = rated.outputs(None).all(|scored| scored.z.is_some());
        let rating = |scored: &ScoredOutput| {
            let value = scored.z.filter(|_| has_z).unwrap_or(scored.raw);
            ((scored.output.source, scored.output.system), value)
        };

        // The order is that of the systems in the scores, whose indices these are.
        let shown = snapshot.systems().iter().filter(|system| !system.is_hidden);
        let by_id: HashMap<SourceId, (usize, &SourceJudgements)> = snapshot
            .source_ids()
            .zip(snapshot.sources().enumerate())
            .collect();

        let is_open: HashSet<SourceId> = open.iter().copied().collect();
        let others = snapshot.source_ids().filter(|id| !is_open.contains(id));
        let ordered = open.iter().copied().chain(others);

        let source = |id| {
            let (number, judgements) = *by_id.get(&id)?;
            Some(SourceInStudy {
                id,
                number,
                judgements,
                is_open: is_open.contains(&id),
            })
        };

        Self {
            sources: ordered.filter_map(source).collect(),
            systems: shown.map(|system| system.id).zip(0..).collect(),
            ratings: rated.outputs(None).map(rating).collect(),
        }
    }

    /// The sources with a metric's scores.
    fn sources(&self, scores: &HashMap<OutputId, f64>) -> Vec<RankedSource> {
        let ranked = |source: &SourceInStudy<'_>| {
            let output = |output: &store::judgements::OutputCategory| {
                let system = *self.systems.get(&output.system)?;
                Some(RankedOutput {
                    system,
                    rating: self.ratings.get(&(source.number, system)).copied(),
                    score: scores.get(&output.output).copied(),
                })
            };

            let categories = source.judgements.categories.iter();
            let mut outputs: Vec<_> = categories.filter_map(output).collect();
            outputs.sort_by_key(|output| output.system);
            outputs.dedup_by_key(|output| output.system);
            let is_rated = outputs.iter().any(|output| output.rating.is_some());

            RankedSource {
                outputs,
                is_given: is_rated || !source.is_open,
            }
        };
        self.sources.iter().map(ranked).collect()
    }
}
