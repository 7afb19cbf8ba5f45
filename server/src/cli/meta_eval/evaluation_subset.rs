//! By which outputs a metric is judged: of sources that it did not learn from.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use domain::{
    category::Category,
    metrics::meta::HumanJudgements,
    statistics::{RatingTable, tau_like::PreferenceRule},
};
use formats::RatedOutput;
use learn::metric::fingerprint;

use super::meta_place;
use crate::metrics::BatchScores;

/// A file's ratings.
pub(super) struct EvaluationRatings<'a> {
    /// Raw ratings of outputs, which are named by their lines.
    raw: &'a RatingTable<String, u64>,
    outputs: &'a BTreeMap<u64, RatedOutput>,
    rule: PreferenceRule,
    /// Whether sources count by which a metric learned.
    include_training: bool,
    /// The fingerprint of each output's source.
    fingerprints: Vec<String>,
}

/// What people said of the outputs by which some metrics are judged.
pub(super) struct EvaluationSubset {
    pub(super) people: HumanJudgements<Category>,
    /// The places of these among all outputs.
    pub(super) kept: Vec<usize>,
    /// How many sources are left out, since one of the metrics learned from them.
    pub(super) left_out: usize,
}

impl<'a> EvaluationRatings<'a> {
    pub(super) fn new(
        raw: &'a RatingTable<String, u64>,
        outputs: &'a BTreeMap<u64, RatedOutput>,
        rule: PreferenceRule,
        include_training: bool,
    ) -> Self {
        let sources = raw.units().iter().map(|line| &outputs[line].source_text);
        Self {
            raw,
            outputs,
            rule,
            include_training,
            fingerprints: sources.map(fingerprint).collect(),
        }
    }

    /// What people said of the outputs of sources that none of the metrics learned from.
    pub(super) fn subset_for(&self, metrics: &[&BatchScores]) -> EvaluationSubset {
        let known = metrics.iter().flat_map(|metric| &metric.trained_on);
        let known: HashSet<&String> = known.filter(|_| !self.include_training).collect();
        let each = self.fingerprints.iter().enumerate();
        let (out, kept): (Vec<_>, Vec<_>) = each.partition(|(_, source)| known.contains(source));
        let out: BTreeSet<&String> = out.into_iter().map(|(_, source)| source).collect();
        let kept: Vec<usize> = kept.into_iter().map(|(at, _)| at).collect();
        let lines: HashSet<u64> = kept.iter().map(|at| self.raw.units()[*at]).collect();
        let raw = self.raw.retain(|_, line| lines.contains(line));
        EvaluationSubset {
            people: HumanJudgements::new(&raw, self.rule, |line| meta_place(&self.outputs[line])),
            kept,
            left_out: out.len(),
        }
    }
}

impl EvaluationSubset {
    /// The oriented scores of these outputs, with `NaN` for those that are not there.
    pub(super) fn oriented_scores(&self, of: &BatchScores) -> Vec<f64> {
        let score = |at: &usize| of.direction.orient(of.values[*at].unwrap_or(f64::NAN));
        self.kept.iter().map(score).collect()
    }
}
