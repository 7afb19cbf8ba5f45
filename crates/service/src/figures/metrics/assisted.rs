//! Mean ratings of systems that a metric makes more precise, and the ratings that this saves.

use std::collections::{BTreeMap, HashMap, HashSet};

use domain::{
    ids::{MetricId, SourceId, SystemId},
    statistics::{
        UndefinedReason,
        bootstrap::{BootstrapInterval, ResamplingOptions},
        prediction_powered::{
            AssistedMean, PredictedOutputs, RatedPrediction, RatingCosts, assisted_means,
        },
    },
};
use store::metrics::StudyMetric;

use super::{StudyMetricScores, text_hash};
use crate::{
    figures::systems::{ScoredOutput, SystemName, SystemScores},
    live::StudySnapshot,
};

/// The systems of a study with the help of a metric that scored all of their outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct AssistedSystems {
    /// The systems with rated outputs that the metric scored; the highest mean first, those without a mean last.
    pub systems: Vec<AssistedSystem>,
    /// The precision of means by the number of rated outputs.
    pub costs: Result<RatingCosts, UndefinedReason>,
    /// The interval of the correlation from which `costs` follow, by resampling sources.
    pub correlation: Result<BootstrapInterval, UndefinedReason>,
    /// The unit of means: standard deviations, or points if some rater has no z-scores.
    pub unit: MeanUnit,
    /// The number of sources that are left out, because the metric learned from ratings of their outputs.
    pub learned_from: usize,
}

/// The unit of mean ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeanUnit {
    /// Standard deviations: z-scores by rater.
    StandardDeviations,
    /// Points of the scale.
    Points,
}

/// A system with the help of a metric.
#[derive(Debug, Clone, PartialEq)]
pub struct AssistedSystem {
    /// The system.
    pub system: SystemName,
    /// The mean of its outputs with and without the metric; undefined below two rated outputs.
    pub mean: Result<AssistedMean, UndefinedReason>,
}

impl AssistedSystems {
    /// Computes the means of all systems that are not hidden. `None` if the metric scores no rated output, or if every
    /// scored output is rated, so that the metric has nothing to add.
    #[must_use]
    pub fn compute(
        snapshot: &StudySnapshot,
        scores: &StudyMetricScores,
        dimension: &str,
        metric: MetricId,
        resampling: ResamplingOptions,
    ) -> Option<Self> {
        let metric = scores.metrics.iter().find(|own| own.id == metric)?;
        let rated = SystemScores::from_snapshot(snapshot, dimension, None);
        let shown = snapshot.systems().iter().filter(|system| !system.is_hidden);
        let systems: HashMap<SystemId, usize> = shown.map(|system| system.id).zip(0..).collect();
        let sources: HashMap<SourceId, usize> = snapshot.source_ids().zip(0..).collect();

        let has_z = rated.outputs(None).all(|scored| scored.z.is_some());
        let rating = |scored: &ScoredOutput| {
            let value = scored.z.filter(|_| has_z).unwrap_or(scored.raw);
            ((scored.output.system, scored.output.source), value)
        };
        let ratings: HashMap<(usize, usize), f64> = rated.outputs(None).map(rating).collect();
        let learned = learned_sources(scores, metric);

        let mut by_system = BTreeMap::<usize, PredictedOutputs>::new();
        for entry in &scores.outputs {
            let place = (systems.get(&entry.system), sources.get(&entry.source));
            let ((Some(&system), Some(&source)), Some(score)) =
                (place, scores.score(metric.id, entry.output))
            else {
                continue;
            };
            if learned.contains(&entry.source) {
                continue;
            }

            let outputs = by_system.entry(system).or_default();
            match ratings.get(&(system, source)) {
                Some(&rating) => outputs.rated.push(RatedPrediction {
                    source,
                    rating,
                    score,
                }),
                None => outputs.unrated.push(score),
            }
        }

        by_system.retain(|_, outputs| !outputs.rated.is_empty());
        if by_system.values().all(|outputs| outputs.unrated.is_empty()) {
            return None;
        }

        let (places, outputs): (Vec<usize>, Vec<PredictedOutputs>) = by_system.into_iter().unzip();
        let means = places.into_iter().zip(assisted_means(&outputs));
        let mut assisted: Vec<_> = means
            .map(|(place, mean)| AssistedSystem {
                system: rated.systems[place].clone(),
                mean,
            })
            .collect();
        assisted.sort_by(|a, b| {
            let mean = |of: &AssistedSystem| of.mean.map_or(f64::NEG_INFINITY, |mean| mean.mean);
            mean(b).total_cmp(&mean(a))
        });

        Some(Self {
            systems: assisted,
            costs: RatingCosts::compute(&outputs),
            correlation: RatingCosts::correlation_interval(&outputs, resampling),
            unit: match has_z {
                true => MeanUnit::StandardDeviations,
                false => MeanUnit::Points,
            },
            learned_from: learned.len(),
        })
    }

    /// The number of rated outputs that the metric scored, of all systems.
    #[must_use]
    pub fn rated_outputs(&self) -> usize {
        let rated = self
            .systems
            .iter()
            .map(|of| of.mean.map_or(1, |mean| mean.plain.n));
        rated.sum()
    }

    /// The mean number of rated outputs of a system, as a whole number.
    #[must_use]
    pub fn rated_by_system(&self) -> usize {
        self.rated_outputs() / self.systems.len().max(1)
    }
}

/// The sources whose ratings the metric learned from. Its scores of their outputs would predict these ratings too well.
fn learned_sources(scores: &StudyMetricScores, metric: &StudyMetric) -> HashSet<SourceId> {
    let hashes: HashSet<&str> = metric.trained_on.iter().map(String::as_str).collect();
    if hashes.is_empty() {
        return HashSet::new();
    }

    let mut sources = HashMap::new();
    for entry in &scores.outputs {
        sources.entry(entry.source).or_insert(&entry.source_text);
    }

    let learned = sources
        .into_iter()
        .filter(|(_, text)| hashes.contains(&text_hash(text)[..]));
    learned.map(|(source, _)| source).collect()
}
