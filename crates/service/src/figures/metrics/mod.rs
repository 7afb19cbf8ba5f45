//! How metrics agree with the people of a study.

mod detail;
mod dimensions;
mod evaluation_data;

use std::collections::HashMap;

use domain::{
    category::Category,
    ids::{MetricId, OutputId},
    metrics::meta::{MetaEvaluation, MetricComparison},
    score::RatingScale,
    statistics::{
        bootstrap::ResamplingOptions,
        tau_like::{Consensus, PreferenceRule, TauLike, TieThreshold},
    },
};
use store::metrics::{MetricScore, OutputEntry, StudyMetric};

use self::evaluation_data::MetricEvaluationData;
pub use self::{
    detail::{MetricDetail, MetricDetailPoint, MetricDisagreement},
    dimensions::{DimensionCorrelation, dimension_pairs},
};
use crate::live::StudySnapshot;

/// What is read of a study beside its ratings.
#[derive(Debug, Clone, Default)]
pub struct StudyMetricScores {
    /// Its metrics, in the order in which it got them.
    pub metrics: Vec<StudyMetric>,
    /// Its main outputs.
    pub outputs: Vec<OutputEntry>,
    scores: HashMap<MetricId, HashMap<OutputId, f64>>,
}

/// Which outputs are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriterGroup {
    /// All of them.
    All,
    /// Those of human writers.
    People,
    /// Those of systems and baselines.
    Machines,
}

impl WriterGroup {
    /// Its name, as people read it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::All => "All outputs",
            Self::People => "Written by people",
            Self::Machines => "Written by machines",
        }
    }
}

/// Everything that is shown of a study's metrics.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyMetrics {
    /// How many outputs were rated, each text of a source once.
    pub rated: usize,
    /// How many of these are one of their references, to the letter.
    pub references: usize,
    /// Each metric that scored a rated output.
    pub entries: Vec<MetricEntry>,
    /// The metrics that scored none.
    pub missing: Vec<MissingMetric>,
    /// What a rater reaches who is held against the others.
    pub human_ceiling: Option<HumanCeiling>,
    /// How dimensions go together.
    pub dimensions: Vec<(WriterGroup, Vec<DimensionCorrelation>)>,
}

/// A metric of the study without a score of any rated output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingMetric {
    /// Which.
    pub metric: StudyMetric,
    /// What it is called among the others.
    pub label: String,
}

/// One metric held against people.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricEntry {
    /// Which.
    pub metric: StudyMetric,
    /// What it is called among the others, and that its scores are turned where they are.
    pub label: String,
    /// How many rated outputs it has no score of; they are left out.
    pub unscored: usize,
    /// How many sources with rated outputs are left out, since it learned from them.
    pub learned_from: usize,
    /// How it agrees with people, where that can be said.
    pub parts: Vec<(WriterGroup, MetaEvaluation<Category>)>,
}

/// What a rater reaches who is held against the others: means over raters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HumanCeiling {
    /// How many raters were held out.
    pub raters: usize,
    /// Their counts together.
    pub tau: TauLike,
    /// The mean of their τ.
    pub mean_tau: f64,
    /// The mean of Pearson's r of their ratings and the mean of the others'.
    pub mean_pearson: Option<f64>,
}

/// What is asked of a study's metrics.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricEvaluationOptions {
    /// The dimension of ratings.
    pub dimension: String,
    /// The numbers that a rating on it can be.
    pub scale: RatingScale,
    /// How far apart two ratings of a rater are before they are a preference.
    pub tie: TieThreshold,
    /// Whether outputs that are one of their references are left out.
    pub without_references: bool,
    /// How intervals are drawn.
    pub resampling: ResamplingOptions,
}

impl MetricEvaluationOptions {
    /// How ratings become preferences.
    #[must_use]
    pub fn rule(&self) -> PreferenceRule {
        self.tie.preference_rule(Consensus::Majority, self.scale)
    }

    /// What the figures depend on beside ratings and scores, to the letter.
    #[must_use]
    pub fn signature(&self) -> String {
        self.tie
            .signature(Consensus::Majority, &self.dimension, self.scale)
    }
}

impl StudyMetricScores {
    /// Puts together what was read.
    #[must_use]
    pub fn new(
        metrics: Vec<StudyMetric>,
        outputs: Vec<OutputEntry>,
        scores: &[MetricScore],
    ) -> Self {
        let mut by_metric = HashMap::<_, HashMap<_, _>>::new();
        for MetricScore {
            metric,
            output,
            value,
        } in scores
        {
            by_metric
                .entry(*metric)
                .or_default()
                .insert(*output, *value);
        }
        Self {
            metrics: newest(metrics),
            outputs,
            scores: by_metric,
        }
    }

    /// The score as the metric gives it.
    fn score(&self, metric: MetricId, output: OutputId) -> Option<f64> {
        self.scores.get(&metric)?.get(&output).copied()
    }
}

/// Without metrics that a newer version of the program computes anew.
fn newest(metrics: Vec<StudyMetric>) -> Vec<StudyMetric> {
    let later = |at: usize, metric: &StudyMetric| {
        metrics[at + 1..]
            .iter()
            .any(|other| other.name == metric.name && other.origin == metric.origin)
    };
    let keep = |(at, metric): (usize, &StudyMetric)| {
        let computed = metric.origin == store::metrics::MetricOrigin::Computed;
        (!computed || !later(at, metric)).then(|| metric.clone())
    };
    metrics.iter().enumerate().filter_map(keep).collect()
}

/// The hash by which a model remembers the text of a source that it learned from.
#[must_use]
pub fn text_hash(text: &str) -> String {
    crate::accounts::digest(text)
}

impl StudyMetrics {
    /// What is held of a study, and its scores, in figures.
    #[must_use]
    pub fn compute(
        held: &StudySnapshot,
        scored: &StudyMetricScores,
        asked: &MetricEvaluationOptions,
    ) -> Self {
        let ground = MetricEvaluationData::new(held, scored, asked);
        let rated = ground.judged.raw.units();
        let labels = labels(&scored.metrics);
        let all = scored.metrics.iter().zip(labels);
        let (some, none): (Vec<_>, Vec<_>) = all.partition(|(metric, _)| ground.is_scored(metric));
        let entry = |(metric, label)| ground.entry(metric, label, asked.resampling);
        let missing = |(metric, label): (&StudyMetric, String)| MissingMetric {
            metric: metric.clone(),
            label,
        };
        Self {
            rated: rated.len(),
            references: rated
                .iter()
                .filter(|output| ground.entries[output].is_reference)
                .count(),
            entries: some.into_iter().map(entry).collect(),
            missing: none.into_iter().map(missing).collect(),
            human_ceiling: ground.human_ceiling(),
            dimensions: ground
                .writer_groups()
                .into_iter()
                .map(|written| {
                    (
                        written,
                        dimension_pairs(held, |it| ground.is_included(it, written)),
                    )
                })
                .collect(),
        }
    }
}

/// How two metrics compare on the outputs that both score, and how many these are.
#[must_use]
pub fn compare(
    held: &StudySnapshot,
    scored: &StudyMetricScores,
    asked: &MetricEvaluationOptions,
    (a, b): (MetricId, MetricId),
) -> Option<(usize, MetricComparison)> {
    let ground = MetricEvaluationData::new(held, scored, asked);
    let metric = |id| scored.metrics.iter().find(|metric| metric.id == id);
    let (a, b) = (metric(a)?, metric(b)?);
    let (ratings, people) = ground.human_ratings(&[a, b], WriterGroup::All);
    if people.outputs() < 2 {
        return None;
    }
    let (of_a, of_b) = (ground.scores(a, &ratings), ground.scores(b, &ratings));
    let found = people.compare(&of_a, &of_b, asked.resampling);
    Some((people.outputs(), found))
}

/// Names that tell metrics apart, and say which are turned: of those with one name, the part of the
/// signature that differs.
fn labels(metrics: &[StudyMetric]) -> Vec<String> {
    let label = |metric: &StudyMetric| {
        let same = metrics.iter().filter(|other| other.name == metric.name);
        if same.count() == 1 {
            return metric.direction.label(&metric.name);
        }
        let rest = metric.signature.strip_prefix(&metric.name[..]);
        let rest = rest.unwrap_or(&metric.signature).trim_start_matches('|');
        let short: String = rest.chars().take(40).collect();
        format!("{} ({short})", metric.direction.label(&metric.name))
    };
    metrics.iter().map(label).collect()
}
