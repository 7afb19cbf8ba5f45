//! A study's ratings in the form that the evaluation of metrics needs.

use std::collections::{BTreeMap, HashMap, HashSet};

use domain::{
    category::Category,
    ids::{OutputId, RaterId, SourceId},
    metrics::meta::{HumanJudgements, OutputGrouping, UpperLimit, evaluate_held_out_raters},
    statistics::{RatingTable, bootstrap::ResamplingOptions, mean, tau_like::PreferenceRule},
    study::SystemKind,
};
use store::metrics::{OutputEntry, StudyMetric};

use super::{
    HumanCeiling, MetricEntry, MetricEvaluationOptions, StudyMetricScores, WriterGroup, text_hash,
};
use crate::{figures::systems::JudgedRatings, live::StudySnapshot};

/// A study's ratings, against which any metric can be evaluated.
pub(super) struct MetricEvaluationData<'a> {
    pub(super) judged: JudgedRatings<RaterId, OutputId>,
    pub(super) entries: HashMap<OutputId, &'a OutputEntry>,
    scores: &'a StudyMetricScores,
    rule: PreferenceRule,
}

impl<'a> MetricEvaluationData<'a> {
    /// Takes the ratings on the dimension of the options, for the outputs that these include.
    pub(super) fn new(
        snapshot: &StudySnapshot,
        scores: &'a StudyMetricScores,
        options: &MetricEvaluationOptions,
    ) -> Self {
        let mut judged = JudgedRatings::from_snapshot(snapshot, &options.dimension);
        let entries: HashMap<_, _> = scores
            .outputs
            .iter()
            .map(|entry| (entry.output, entry))
            .collect();

        let is_included = |output: &OutputId| {
            let entry = entries.get(output);
            entry.is_some_and(|entry| !(options.without_references && entry.is_reference))
                && judged.outputs.contains_key(output)
                && !judged.is_hidden(output)
        };

        let (raw, z) = (
            judged.raw.retain(|_, output| is_included(output)),
            judged.z.retain(|_, output| is_included(output)),
        );
        (judged.raw, judged.z) = (raw, z);

        Self {
            judged,
            entries,
            scores,
            rule: options.rule(),
        }
    }

    fn kind(&self, output: &OutputId) -> Option<SystemKind> {
        self.judged.systems[self.judged.outputs[output].system].kind
    }

    fn is_written_by(&self, output: &OutputId, writers: WriterGroup) -> bool {
        let human = self.kind(output) == Some(SystemKind::Human);
        match writers {
            WriterGroup::All => true,
            WriterGroup::People => human,
            WriterGroup::Machines => !human,
        }
    }

    fn grouping(&self, output: &OutputId) -> OutputGrouping<SourceId, Category> {
        let judged_output = &self.judged.outputs[output];
        OutputGrouping {
            source: self.entries[output].source,
            system: Some(self.judged.systems[judged_output.system].name.clone()),
            category: judged_output
                .category
                .expect("an output of a study has a category"),
        }
    }

    /// The sources with rated outputs that the metric learned from.
    pub(super) fn learned_from(&self, metric: &StudyMetric) -> HashSet<SourceId> {
        if metric.trained_on.is_empty() {
            return HashSet::new();
        }

        let hashes: HashSet<&str> = metric.trained_on.iter().map(String::as_str).collect();
        let rated_outputs = self.judged.raw.units().iter();
        let mut sources = BTreeMap::new();
        for output in rated_outputs {
            let entry = self.entries[output];
            sources.entry(entry.source).or_insert(&entry.source_text);
        }

        let is_learned = |text: &str| hashes.contains(&text_hash(text)[..]);
        let learned = sources.into_iter().filter(|(_, text)| is_learned(text));
        learned.map(|(source, _)| source).collect()
    }

    /// The ratings of the outputs that all of `metrics` score and none of them learned from.
    pub(super) fn human_ratings(
        &self,
        metrics: &[&StudyMetric],
        writers: WriterGroup,
    ) -> (RatingTable<RaterId, OutputId>, HumanJudgements<Category>) {
        let learned: HashSet<_> = metrics
            .iter()
            .flat_map(|metric| self.learned_from(metric))
            .collect();

        let raw = self.judged.raw.retain(|_, output| {
            let is_scored = |metric: &&StudyMetric| self.scores.score(metric.id, *output).is_some();
            self.is_written_by(output, writers)
                && metrics.iter().all(is_scored)
                && !learned.contains(&self.entries[output].source)
        });

        let means = self.z_means();
        let z = raw.units().iter();
        let z = z.map(|output| means.get(output).copied().unwrap_or(f64::NAN));
        let z: Vec<f64> = z.collect();

        let people = HumanJudgements::new(&raw, self.rule, |output| self.grouping(output));
        // If a rater has no z-scores, the raw ratings are used for all outputs: the two units must not be mixed.
        let people = if z.iter().all(|mean| mean.is_finite()) {
            people.with_means(z)
        } else {
            people
        };

        (raw, people)
    }

    /// The mean z-score of each output.
    pub(super) fn z_means(&self) -> HashMap<OutputId, f64> {
        let means = self.judged.z.means();
        means.map(|(output, mean)| (*output, mean)).collect()
    }

    /// The metric's scores of the outputs of a table, in its order, oriented so that a larger one is better;
    /// `NaN` for outputs without a score.
    pub(super) fn scores(
        &self,
        metric: &StudyMetric,
        ratings: &RatingTable<RaterId, OutputId>,
    ) -> Vec<f64> {
        let units = ratings.units().iter();
        let score = |output: &OutputId| self.scores.score(metric.id, *output);
        units
            .map(|output| metric.direction.orient(score(output).unwrap_or(f64::NAN)))
            .collect()
    }

    /// Whether the metric scored at least one rated output.
    pub(super) fn is_scored(&self, metric: &StudyMetric) -> bool {
        let mut rated_outputs = self.judged.raw.units().iter();
        rated_outputs.any(|output| self.scores.score(metric.id, *output).is_some())
    }

    /// The evaluation of a metric against people.
    pub(super) fn entry(
        &self,
        metric: &StudyMetric,
        label: String,
        resampling: ResamplingOptions,
    ) -> MetricEntry {
        let outputs = self.judged.raw.units();
        let has_no_score = |output: &&OutputId| self.scores.score(metric.id, **output).is_none();
        let unscored = outputs.iter().filter(has_no_score).count();

        let part = |writers: WriterGroup| {
            let (ratings, people) = self.human_ratings(&[metric], writers);
            let scores = self.scores(metric, &ratings);
            (people.outputs() > 1).then(|| (writers, people.evaluate(&scores, resampling)))
        };

        MetricEntry {
            label,
            unscored,
            learned_from: self.learned_from(metric).len(),
            parts: self.writer_groups().into_iter().filter_map(part).collect(),
            metric: metric.clone(),
        }
    }

    /// All outputs, and, if both people and machines wrote some, those of each.
    pub(super) fn writer_groups(&self) -> Vec<WriterGroup> {
        let units = self.judged.raw.units();
        let human = units
            .iter()
            .filter(|output| self.is_written_by(output, WriterGroup::People))
            .count();

        if human == 0 || human == units.len() {
            return vec![WriterGroup::All];
        }
        vec![WriterGroup::All, WriterGroup::People, WriterGroup::Machines]
    }

    /// The mean agreement of a rater with the others.
    pub(super) fn human_ceiling(&self) -> Option<HumanCeiling> {
        let held_out =
            evaluate_held_out_raters(&self.judged.raw, self.rule, |output| self.grouping(output));

        let pearson: Vec<f64> = held_out
            .iter()
            .filter_map(|rater| rater.pearson.ok())
            .collect();

        let tau = UpperLimit::from_raters(held_out.iter().map(|rater| rater.tau));
        tau.map(|tau| HumanCeiling {
            tau,
            mean_pearson: (!pearson.is_empty()).then(|| mean(&pearson)),
        })
    }

    /// Whether the output is included in the evaluation, and written by this group.
    pub(super) fn is_included(&self, output: &OutputId, writers: WriterGroup) -> bool {
        self.entries.contains_key(output)
            && self.judged.outputs.contains_key(output)
            && !self.judged.is_hidden(output)
            && self.is_written_by(output, writers)
    }
}
