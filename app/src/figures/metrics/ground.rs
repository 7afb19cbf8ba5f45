//! A study's ratings in the shape that metrics are held against.

use std::collections::{BTreeMap, HashMap, HashSet};

use domain::{
    category::Category,
    ids::{OutputId, RaterId, SourceId},
    metrics::meta::{People, Place, held_out},
    statistics::{
        Ratings,
        bootstrap::Resampling,
        tau_like::{PreferenceRule, TauLike},
    },
    study::SystemKind,
};
use store::metrics::{Metric, OutputEntry};

use super::{Asked, Limit, MetricEntry, Scored, Written, text_hash};
use crate::{figures::systems::Judged, live::Held};

/// A study's ratings, ready for any metric.
pub(super) struct Ground<'a> {
    pub(super) judged: Judged<RaterId, OutputId>,
    pub(super) entries: HashMap<OutputId, &'a OutputEntry>,
    scored: &'a Scored,
    rule: PreferenceRule,
}

impl<'a> Ground<'a> {
    /// What is held of the study, as far as it is asked for.
    pub(super) fn new(held: &Held, scored: &'a Scored, asked: &Asked) -> Self {
        let mut judged = Judged::of_study(held, &asked.dimension);
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

    fn is(&self, output: &OutputId, written: Written) -> bool {
        let human = self.kind(output) == Some(SystemKind::Human);
        match written {
            Written::ByAll => true,
            Written::ByPeople => human,
            Written::ByMachines => !human,
        }
    }

    fn place(&self, output: &OutputId) -> Place<SourceId, Category> {
        let of = &self.judged.outputs[output];
        Place {
            source: self.entries[output].source,
            system: Some(self.judged.systems[of.system].name.clone()),
            category: of.category,
        }
    }

    /// The sources with rated outputs that the metric learned from.
    pub(super) fn learned_from(&self, metric: &Metric) -> HashSet<SourceId> {
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
    pub(super) fn people(
        &self,
        metrics: &[&Metric],
        written: Written,
    ) -> (Ratings<RaterId, OutputId>, People<Category>) {
        let learned: HashSet<_> = metrics
            .iter()
            .flat_map(|metric| self.learned_from(metric))
            .collect();
        let raw = self.judged.raw.retain(|_, output| {
            let scored = |metric: &&Metric| self.scored.score(metric.id, *output).is_some();
            self.is(output, written)
                && metrics.iter().all(scored)
                && !learned.contains(&self.entries[output].source)
        });
        let means = self.z_means();
        let of = raw.units().iter();
        let of = of.map(|output| means.get(output).copied().unwrap_or(f64::NAN));
        let z: Vec<f64> = of.collect();
        let people = People::new(&raw, self.rule, |output| self.place(output));
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
    pub(super) fn scores(&self, metric: &Metric, ratings: &Ratings<RaterId, OutputId>) -> Vec<f64> {
        let units = ratings.units().iter();
        let score = |output: &OutputId| self.scored.score(metric.id, *output);
        units
            .map(|output| metric.direction.orient(score(output).unwrap_or(f64::NAN)))
            .collect()
    }

    /// Whether the metric scored a rated output.
    pub(super) fn is_scored(&self, metric: &Metric) -> bool {
        let mut rated = self.judged.raw.units().iter();
        rated.any(|output| self.scored.score(metric.id, *output).is_some())
    }

    /// The metric held against people.
    pub(super) fn entry(
        &self,
        metric: &Metric,
        label: String,
        resampling: Resampling,
    ) -> MetricEntry {
        let all = self.judged.raw.units();
        let score = |output: &&OutputId| self.scored.score(metric.id, **output).is_none();
        let unscored = all.iter().filter(score).count();
        let part = |written: Written| {
            let (ratings, people) = self.people(&[metric], written);
            let scores = self.scores(metric, &ratings);
            (people.outputs() > 1).then(|| (written, people.evaluate(&scores, resampling)))
        };
        MetricEntry {
            label,
            unscored,
            learned_from: self.learned_from(metric).len(),
            parts: self.parts().into_iter().filter_map(part).collect(),
            metric: metric.clone(),
        }
    }

    /// All outputs, and apart those of people and machines where both wrote some.
    pub(super) fn parts(&self) -> Vec<Written> {
        let units = self.judged.raw.units();
        let human = units
            .iter()
            .filter(|it| self.is(it, Written::ByPeople))
            .count();
        if human == 0 || human == units.len() {
            return vec![Written::ByAll];
        }
        vec![Written::ByAll, Written::ByPeople, Written::ByMachines]
    }

    /// Each rater held against the others.
    pub(super) fn limit(&self) -> Option<Limit> {
        let held = held_out(&self.judged.raw, self.rule, |output| self.place(output));
        let taus: Vec<f64> = held.iter().filter_map(|it| it.tau.tau().ok()).collect();
        let r: Vec<f64> = held.iter().filter_map(|it| it.pearson.ok()).collect();
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
        (!taus.is_empty()).then(|| Limit {
            raters: taus.len(),
            tau: held
                .iter()
                .fold(TauLike::default(), |sum, it| sum.plus(it.tau)),
            mean_tau: mean(&taus),
            mean_pearson: (!r.is_empty()).then(|| mean(&r)),
        })
    }

    /// Whether it is looked at at all, and of these.
    pub(super) fn is_written(&self, output: &OutputId, written: Written) -> bool {
        self.entries.contains_key(output)
            && self.judged.outputs.contains_key(output)
            && self.is(output, written)
    }
}
