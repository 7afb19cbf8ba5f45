//! A study's ratings in the shape that metrics are held against.

use std::collections::{BTreeMap, HashMap, HashSet};

use domain::{
    category::Category,
    ids::{OutputId, RaterId, SourceId},
    metrics::meta::{HumanJudgements, OutputGrouping, evaluate_held_out_raters},
    statistics::{
        RatingTable,
        bootstrap::ResamplingOptions,
        tau_like::{PreferenceRule, TauLike},
    },
    study::SystemKind,
};
use store::metrics::{OutputEntry, StudyMetric};

use super::{
    HumanCeiling, MetricEntry, MetricEvaluationOptions, StudyMetricScores, WriterGroup, text_hash,
};
use crate::{figures::systems::JudgedRatings, live::StudySnapshot};

/// A study's ratings, ready for any metric.
pub(super) struct MetricEvaluationData<'a> {
    pub(super) judged: JudgedRatings<RaterId, OutputId>,
    pub(super) entries: HashMap<OutputId, &'a OutputEntry>,
    scored: &'a StudyMetricScores,
    rule: PreferenceRule,
}

impl<'a> MetricEvaluationData<'a> {
    /// What is held of the study, as far as it is asked for.
    pub(super) fn new(
        held: &StudySnapshot,
        scored: &'a StudyMetricScores,
        asked: &MetricEvaluationOptions,
    ) -> Self {
        let mut judged = JudgedRatings::from_snapshot(held, &asked.dimension);
        let entries: HashMap<_, _> = scored.outputs.iter().map(|it| (it.output, it)).collect();
        let stays = |output: &OutputId| {
            let entry = entries.get(output);
            entry.is_some_and(|it| !(asked.without_references && it.is_reference))
                && judged.outputs.contains_key(output)
        };
        let (raw, z) = (
            judged.raw.retain(|_, output| stays(output)),
            judged.z.retain(|_, output| stays(output)),
        );
        (judged.raw, judged.z) = (raw, z);
        Self {
            judged,
            entries,
            scored,
            rule: asked.rule(),
        }
    }

    fn kind(&self, output: &OutputId) -> Option<SystemKind> {
        self.judged.systems[self.judged.outputs[output].system].kind
    }

    fn is_written_by(&self, output: &OutputId, written: WriterGroup) -> bool {
        let human = self.kind(output) == Some(SystemKind::Human);
        match written {
            WriterGroup::All => true,
            WriterGroup::People => human,
            WriterGroup::Machines => !human,
        }
    }

    fn place(&self, output: &OutputId) -> OutputGrouping<SourceId, Category> {
        let of = &self.judged.outputs[output];
        OutputGrouping {
            source: self.entries[output].source,
            system: Some(self.judged.systems[of.system].name.clone()),
            category: of.category,
        }
    }

    /// The sources with rated outputs that the metric learned from.
    pub(super) fn learned_from(&self, metric: &StudyMetric) -> HashSet<SourceId> {
        if metric.trained_on.is_empty() {
            return HashSet::new();
        }
        let known: HashSet<&str> = metric.trained_on.iter().map(String::as_str).collect();
        let rated = self.judged.raw.units().iter();
        let mut sources = BTreeMap::new();
        for output in rated {
            let entry = self.entries[output];
            sources.entry(entry.source).or_insert(&entry.source_text);
        }
        let learned = |text: &str| known.contains(&text_hash(text)[..]);
        let of = sources.into_iter().filter(|(_, text)| learned(text));
        of.map(|(source, _)| source).collect()
    }

    /// What people said of the outputs that every one of `metrics` scores and none learned from.
    pub(super) fn human_ratings(
        &self,
        metrics: &[&StudyMetric],
        written: WriterGroup,
    ) -> (RatingTable<RaterId, OutputId>, HumanJudgements<Category>) {
        let learned: HashSet<_> = metrics
            .iter()
            .flat_map(|metric| self.learned_from(metric))
            .collect();
        let raw = self.judged.raw.retain(|_, output| {
            let scored = |metric: &&StudyMetric| self.scored.score(metric.id, *output).is_some();
            self.is_written_by(output, written)
                && metrics.iter().all(scored)
                && !learned.contains(&self.entries[output].source)
        });
        let means = self.z_means();
        let of = raw.units().iter();
        let of = of.map(|output| means.get(output).copied().unwrap_or(f64::NAN));
        let z: Vec<f64> = of.collect();
        let people = HumanJudgements::new(&raw, self.rule, |output| self.place(output));
        // Where somebody's ratings have no z-scores, the numbers as they were entered serve all.
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

    /// The metric's scores of the outputs of a table, in its order, so that a larger one is better;
    /// `NaN` where there is none.
    pub(super) fn scores(
        &self,
        metric: &StudyMetric,
        ratings: &RatingTable<RaterId, OutputId>,
    ) -> Vec<f64> {
        let units = ratings.units().iter();
        let score = |output: &OutputId| self.scored.score(metric.id, *output);
        units
            .map(|output| metric.direction.orient(score(output).unwrap_or(f64::NAN)))
            .collect()
    }

    /// Whether the metric scored a rated output.
    pub(super) fn is_scored(&self, metric: &StudyMetric) -> bool {
        let mut rated = self.judged.raw.units().iter();
        rated.any(|output| self.scored.score(metric.id, *output).is_some())
    }

    /// The metric held against people.
    pub(super) fn entry(
        &self,
        metric: &StudyMetric,
        label: String,
        resampling: ResamplingOptions,
    ) -> MetricEntry {
        let all = self.judged.raw.units();
        let score = |output: &&OutputId| self.scored.score(metric.id, **output).is_none();
        let unscored = all.iter().filter(score).count();
        let part = |written: WriterGroup| {
            let (ratings, people) = self.human_ratings(&[metric], written);
            let scores = self.scores(metric, &ratings);
            (people.outputs() > 1).then(|| (written, people.evaluate(&scores, resampling)))
        };
        MetricEntry {
            label,
            unscored,
            learned_from: self.learned_from(metric).len(),
            parts: self.writer_groups().into_iter().filter_map(part).collect(),
            metric: metric.clone(),
        }
    }

    /// All outputs, and apart those of people and machines where both wrote some.
    pub(super) fn writer_groups(&self) -> Vec<WriterGroup> {
        let units = self.judged.raw.units();
        let human = units
            .iter()
            .filter(|it| self.is_written_by(it, WriterGroup::People))
            .count();
        if human == 0 || human == units.len() {
            return vec![WriterGroup::All];
        }
        vec![WriterGroup::All, WriterGroup::People, WriterGroup::Machines]
    }

    /// Each rater held against the others.
    pub(super) fn human_ceiling(&self) -> Option<HumanCeiling> {
        let held =
            evaluate_held_out_raters(&self.judged.raw, self.rule, |output| self.place(output));
        let taus: Vec<f64> = held.iter().filter_map(|it| it.tau.tau().ok()).collect();
        let r: Vec<f64> = held.iter().filter_map(|it| it.pearson.ok()).collect();
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
        (!taus.is_empty()).then(|| HumanCeiling {
            raters: taus.len(),
            tau: held
                .iter()
                .fold(TauLike::default(), |sum, it| sum.plus(it.tau)),
            mean_tau: mean(&taus),
            mean_pearson: (!r.is_empty()).then(|| mean(&r)),
        })
    }

    /// Whether it is looked at at all, and of these.
    pub(super) fn is_included(&self, output: &OutputId, written: WriterGroup) -> bool {
        self.entries.contains_key(output)
            && self.judged.outputs.contains_key(output)
            && self.is_written_by(output, written)
    }
}
