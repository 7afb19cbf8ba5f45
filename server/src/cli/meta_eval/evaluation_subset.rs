//! The outputs that a metric is evaluated on: those of sources that it did not learn from.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use domain::{
    category::Category,
    metrics::meta::HumanJudgements,
    statistics::{RatingTable, tau_like::PreferenceRule},
};
use formats::RatedOutput;
use learn::metric::fingerprint;

use super::rated_outputs::meta_place;
use crate::metrics::BatchScores;

/// The ratings from which each metric's evaluation takes a subset.
pub(super) struct EvaluationRatings<'a> {
    /// Raw ratings of outputs, which are identified by the keys of `outputs`.
    raw: &'a RatingTable<String, u64>,
    outputs: &'a BTreeMap<u64, RatedOutput>,
    rule: PreferenceRule,
    /// Whether sources that a metric was trained on count.
    include_training: bool,
    /// The fingerprint of each output's source.
    fingerprints: Vec<String>,
}

/// People's ratings of the outputs that some metrics are evaluated on.
pub(super) struct EvaluationSubset {
    pub(super) people: HumanJudgements<Category>,
    /// The indices of these outputs among all.
    pub(super) kept: Vec<usize>,
    /// The number of sources left out because one of the metrics was trained on them.
    pub(super) left_out: usize,
}

impl<'a> EvaluationRatings<'a> {
    pub(super) fn new(
        raw: &'a RatingTable<String, u64>,
        outputs: &'a BTreeMap<u64, RatedOutput>,
        rule: PreferenceRule,
        include_training: bool,
    ) -> Self {
        let sources = raw.units().iter().map(|line| &*outputs[line].source_text);
        Self {
            raw,
            outputs,
            rule,
            include_training,
            fingerprints: sources.map(fingerprint).collect(),
        }
    }

    /// The ratings of outputs whose sources none of the metrics was trained on.
    pub(super) fn subset_for(&self, metrics: &[&BatchScores]) -> EvaluationSubset {
        let trained_on = metrics.iter().flat_map(|metric| &metric.trained_on);
        let excluded: HashSet<&String> = trained_on.filter(|_| !self.include_training).collect();
        let sources = self.fingerprints.iter().enumerate();
        let (left_out, kept): (Vec<_>, Vec<_>) =
            sources.partition(|(_, source)| excluded.contains(source));

        // Several outputs share a source, which counts once.
        let left_out: BTreeSet<&String> = left_out.into_iter().map(|(_, source)| source).collect();
        let kept: Vec<usize> = kept.into_iter().map(|(place, _)| place).collect();
        let lines: HashSet<u64> = kept.iter().map(|place| self.raw.units()[*place]).collect();
        let raw = self.raw.retain(|_, line| lines.contains(line));

        EvaluationSubset {
            people: HumanJudgements::new(&raw, self.rule, |line| meta_place(&self.outputs[line])),
            kept,
            left_out: left_out.len(),
        }
    }
}

impl EvaluationSubset {
    /// The oriented scores of these outputs; `NaN` for missing ones.
    pub(super) fn oriented_scores(&self, metric: &BatchScores) -> Vec<f64> {
        let score = |place: &usize| {
            let value = metric.values[*place].unwrap_or(f64::NAN);
            metric.direction.orient(value)
        };
        self.kept.iter().map(score).collect()
    }
}
