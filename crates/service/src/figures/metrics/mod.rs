//! The agreement of metrics with the raters of a study.

mod assisted;
mod compared;
mod detail;
mod dimensions;
mod evaluation_data;

use std::collections::{BTreeSet, HashMap};

use domain::{
    category::Category,
    ids::{MetricId, OutputId},
    metrics::meta::{MetaEvaluation, MetricComparison, UpperLimit},
    score::RatingScale,
    statistics::{
        bootstrap::ResamplingOptions,
        tau_like::{Consensus, PreferenceRule, TieThreshold},
    },
};
use store::metrics::{MetricScore, OutputEntry, StudyMetric};

use self::evaluation_data::MetricEvaluationData;
pub use self::{
    assisted::{AssistedSystem, AssistedSystems, MeanUnit},
    compared::{ComparedMetricEntry, ComparedMetrics, ComparedMetricsCache},
    detail::{MetricDetail, MetricDetailPoint, MetricDisagreement},
    dimensions::{DimensionCorrelation, dimension_pairs},
};
use crate::live::StudySnapshot;

/// A study's metrics with their scores, which its snapshot does not hold.
#[derive(Debug, Clone, Default)]
pub struct StudyMetricScores {
    /// Its metrics, in the order in which they were added.
    pub metrics: Vec<StudyMetric>,
    /// Its main outputs.
    pub outputs: Vec<OutputEntry>,
    scores: HashMap<MetricId, HashMap<OutputId, f64>>,
}

/// The outputs of a kind of writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriterGroup {
    /// All outputs.
    All,
    /// The outputs of human writers.
    People,
    /// The outputs of systems and baselines.
    Machines,
}

impl WriterGroup {
    /// The name on pages.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::All => "All outputs",
            Self::People => "Written by people",
            Self::Machines => "Written by machines",
        }
    }
}

/// All figures of a study's metrics.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyMetrics {
    /// The number of rated outputs; identical outputs of a source count once.
    pub rated: usize,
    /// The number of these that equal one of the source's references.
    pub references: usize,
    /// The number of systems that wrote them.
    pub systems: usize,
    /// The metrics with a score of at least one rated output.
    pub entries: Vec<MetricEntry>,
    /// The metrics without such a score.
    pub missing: Vec<MissingMetric>,
    /// The agreement of a rater with the other raters.
    pub human_ceiling: Option<HumanCeiling>,
    /// The correlations of dimensions with each other.
    pub dimensions: Vec<(WriterGroup, Vec<DimensionCorrelation>)>,
}

/// A metric of the study without a score of any rated output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingMetric {
    /// The metric.
    pub metric: StudyMetric,
    /// A name that is unique among the study's metrics.
    pub label: String,
}

/// The evaluation of one metric against people.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricEntry {
    /// The metric.
    pub metric: StudyMetric,
    /// A name that is unique among the study's metrics and says whether scores are reversed.
    pub label: String,
    /// The number of rated outputs without a score, which are left out.
    pub unscored: usize,
    /// The number of sources with rated outputs that are left out because the metric learned from them.
    pub learned_from: usize,
    /// The agreement with people, for each group of writers with at least two outputs.
    pub parts: Vec<(WriterGroup, MetaEvaluation<Category>)>,
}

/// The agreement of a rater with the other raters, as a mean over raters: a ceiling for metrics.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HumanCeiling {
    /// Their Kendall-tau-like agreement.
    pub tau: UpperLimit,
    /// The mean of Pearson's r between their ratings and the mean ratings of the others.
    pub mean_pearson: Option<f64>,
}

/// The options of an evaluation of metrics.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricEvaluationOptions {
    /// The dimension of ratings.
    pub dimension: String,
    /// The scale of that dimension.
    pub scale: RatingScale,
    /// The largest difference between two ratings of a rater that counts as a tie.
    pub tie: TieThreshold,
    /// Whether outputs that equal one of the references are left out.
    pub without_references: bool,
    /// The resampling for intervals.
    pub resampling: ResamplingOptions,
}

impl MetricEvaluationOptions {
    /// The rule by which ratings become preferences.
    #[must_use]
    pub fn rule(&self) -> PreferenceRule {
        self.tie.preference_rule(Consensus::Majority, self.scale)
    }

    /// A text that names all that the figures depend on, apart from ratings and scores.
    #[must_use]
    pub fn signature(&self) -> String {
        self.tie
            .signature(Consensus::Majority, &self.dimension, self.scale)
    }
}

impl StudyMetricScores {
    /// Combines the data from the store.
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
            metrics: without_superseded(metrics),
            outputs,
            scores: by_metric,
        }
    }

    /// The score as the metric gives it.
    fn score(&self, metric: MetricId, output: OutputId) -> Option<f64> {
        self.scores.get(&metric)?.get(&output).copied()
    }
}

/// Drops computed metrics that a newer version of the program has replaced by one with the same name.
fn without_superseded(metrics: Vec<StudyMetric>) -> Vec<StudyMetric> {
    let is_superseded = |index: usize, metric: &StudyMetric| {
        metrics[index + 1..]
            .iter()
            .any(|other| other.name == metric.name && other.origin == metric.origin)
    };
    let current = |(index, metric): (usize, &StudyMetric)| {
        let computed = metric.origin == store::metrics::MetricOrigin::Computed;
        (!computed || !is_superseded(index, metric)).then(|| metric.clone())
    };
    metrics.iter().enumerate().filter_map(current).collect()
}

/// The hash under which a model records the text of a source that it learned from.
#[must_use]
pub fn text_hash(text: &str) -> String {
    crate::accounts::digest(text)
}

impl StudyMetrics {
    /// Computes all figures of the metrics.
    #[must_use]
    pub fn compute(
        snapshot: &StudySnapshot,
        scores: &StudyMetricScores,
        options: &MetricEvaluationOptions,
    ) -> Self {
        let data = MetricEvaluationData::new(snapshot, scores, options);
        let rated_outputs = data.judged.raw.units();

        let labelled = scores.metrics.iter().zip(labels(&scores.metrics));
        let (scored, unscored): (Vec<_>, Vec<_>) =
            labelled.partition(|(metric, _)| data.is_scored(metric));

        let entry = |(metric, label)| data.entry(metric, label, options.resampling);
        let missing = |(metric, label): (&StudyMetric, String)| MissingMetric {
            metric: metric.clone(),
            label,
        };

        Self {
            rated: rated_outputs.len(),
            references: rated_outputs
                .iter()
                .filter(|output| data.entries[output].is_reference)
                .count(),
            systems: rated_outputs
                .iter()
                .map(|output| &data.entries[output].system_name)
                .collect::<BTreeSet<_>>()
                .len(),
            entries: scored.into_iter().map(entry).collect(),
            missing: unscored.into_iter().map(missing).collect(),
            human_ceiling: data.human_ceiling(),
            dimensions: data
                .writer_groups()
                .into_iter()
                .map(|writers| {
                    let is_included = |output: &OutputId| data.is_included(output, writers);
                    (writers, dimension_pairs(snapshot, is_included))
                })
                .collect(),
        }
    }
}

/// Compares two metrics on the outputs that both score. Also returns the number of these outputs; `None`
/// if a metric is unknown or there are fewer than two such outputs.
#[must_use]
pub fn compare(
    snapshot: &StudySnapshot,
    scores: &StudyMetricScores,
    options: &MetricEvaluationOptions,
    a: MetricId,
    b: MetricId,
) -> Option<(usize, MetricComparison)> {
    let data = MetricEvaluationData::new(snapshot, scores, options);

    let metric = |id| scores.metrics.iter().find(|metric| metric.id == id);
    let (a, b) = (metric(a)?, metric(b)?);
    let (ratings, people) = data.human_ratings(&[a, b], WriterGroup::All);

    if people.outputs() < 2 {
        return None;
    }

    let (scores_a, scores_b) = (data.scores(a, &ratings), data.scores(b, &ratings));
    let comparison = people.compare(&scores_a, &scores_b, options.resampling);
    Some((people.outputs(), comparison))
}

/// Unique names of metrics, which also say whether scores are reversed. If metrics share a name, the rest
/// of their signature is appended.
fn labels(metrics: &[StudyMetric]) -> Vec<String> {
    let label = |metric: &StudyMetric| {
        let namesakes = metrics.iter().filter(|other| other.name == metric.name);
        if namesakes.count() == 1 {
            return metric.direction.label(&metric.name);
        }

        let rest = metric.signature.strip_prefix(&metric.name[..]);
        let rest = rest.unwrap_or(&metric.signature).trim_start_matches('|');
        let short: String = rest.chars().take(40).collect();
        format!("{} ({short})", metric.direction.label(&metric.name))
    };
    metrics.iter().map(label).collect()
}
