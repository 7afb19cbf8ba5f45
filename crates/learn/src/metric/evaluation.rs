//! The evaluation of a new metric on held-out sources, before a study takes it.

use std::{
    collections::{HashMap, HashSet},
    ops::ControlFlow,
};

use domain::{
    metrics::{
        degenerate::SEED,
        learned_quality::{LearnedMetricComparison, LearningCurvePoint},
    },
    statistics::{
        UndefinedReason,
        bootstrap::{ResamplingOptions, bootstrap},
    },
};

use super::{
    HybridModel, HybridPlan, HybridScorer, SourceGroup, TrainingSource,
    feature_table::{FeatureTable, group_by_source},
    hybrid::HybridPredictor,
    train::{DegenerateOutput, MIN_OUTPUTS, make_degenerate_outputs},
    validate::{compute_figures, compute_share, compute_tau, count_ordered_pairs, fit_predictor},
};
use crate::encoder::EncoderError;

/// The good outputs of a source from which degenerate ones are made.
const GOOD_OUTPUTS_PER_SOURCE: usize = 3;

/// The points of a learning curve, in rated outputs. At 0, the metric has only the outputs of the metric that training
/// continued from.
const CURVE_SIZES: [usize; 8] = [0, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000];

impl HybridModel {
    /// Compares the metric with another of its kind, on those of `sources` (fingerprints) that it held out
    /// and the other did not learn from. The bootstrap interval is over sources.
    ///
    /// # Errors
    /// [`UndefinedReason`] if there are fewer than two such sources, or none with two outputs that differ.
    ///
    /// # Panics
    /// If the metrics have different features; see [`Self::is_comparable_to`].
    pub fn compare(
        &self,
        other: &Self,
        sources: &HashSet<String>,
        resampling: ResamplingOptions,
    ) -> Result<LearnedMetricComparison, UndefinedReason> {
        assert!(
            self.is_comparable_to(other),
            "metrics of one kind are compared"
        );

        let learned: HashSet<String> = other.trained_on().into_iter().collect();
        let test_table =
            self.select_held_out(|source| sources.contains(source) && !learned.contains(source));
        compare_pair_counts(
            &count_ordered_by_source(&self.hybrid, &test_table),
            &count_ordered_by_source(&other.hybrid, &test_table),
            resampling,
        )
    }

    /// Whether the other metric has the same features, so that the two can be compared.
    #[must_use]
    pub fn is_comparable_to(&self, other: &Self) -> bool {
        self.card.features == other.card.features
            && self.card.settings.references == other.card.settings.references
    }

    /// The agreement of metrics trained in the same way on fewer rated outputs of `sources`, and on all outputs of
    /// other sources in this model; the last point is the metric itself. Sources are added in the order of their
    /// fingerprints. `on_progress` receives each point; a break ends the curve there.
    pub fn learning_curve(
        &self,
        sources: &HashSet<String>,
        mut on_progress: impl FnMut(&LearningCurvePoint) -> ControlFlow<()>,
    ) -> Vec<LearningCurvePoint> {
        let test_table = self.select_held_out(|source| sources.contains(source));
        let (mut own, foreign): (Vec<String>, Vec<String>) = self
            .trained_on()
            .into_iter()
            .partition(|source| sources.contains(source));
        own.sort_unstable();
        let outputs = self.count_outputs_by_source();
        let all = own.iter().map(|source| outputs[source]).sum();
        let mut curve = Vec::new();
        if test_table.outputs.is_empty() {
            return curve;
        }

        // Whole sources are added until the wanted number of outputs is reached: a point has at least
        // that many.
        for target_size in CURVE_SIZES.into_iter().take_while(|size| *size < all) {
            let (mut point_sources, mut own_outputs) = (HashSet::new(), 0);
            for source in &own {
                if own_outputs >= target_size {
                    break;
                }
                own_outputs += outputs[source];
                point_sources.insert(source);
            }
            point_sources.extend(&foreign);
            let part = self.select_sources(&point_sources);
            if part.outputs() < MIN_OUTPUTS || part.sources.len() < 2 {
                continue;
            }

            let model = fit_predictor(&part, &self.card.settings);
            let point = LearningCurvePoint {
                outputs: own_outputs,
                figures: compute_figures(&test_table, &score_table(&model, &test_table)),
            };
            curve.push(point);
            if on_progress(&point).is_break() {
                return curve;
            }
        }

        let whole = LearningCurvePoint {
            outputs: all,
            figures: compute_figures(&test_table, &score_table(&self.hybrid, &test_table)),
        };
        let _ = on_progress(&whole);
        curve.push(whole);
        curve
    }

    fn count_outputs_by_source(&self) -> HashMap<&String, usize> {
        let mut counts = HashMap::new();
        for output in self
            .table
            .outputs
            .iter()
            .filter(|output| !output.is_degenerate)
        {
            let source = &self.table.sources[output.source];
            *counts.entry(source).or_default() += 1;
        }
        counts
    }

    fn select_sources(&self, chosen: &HashSet<&String>) -> FeatureTable {
        let sources = &self.table.sources;
        self.table
            .select_sources(|source| chosen.contains(&sources[source]))
    }

    fn select_held_out(&self, is_chosen: impl Fn(&str) -> bool) -> FeatureTable {
        let sources = &self.card.sources;
        self.table
            .select_sources(|source| {
                sources[source].held_out && is_chosen(&sources[source].fingerprint)
            })
            .without_degenerate()
    }
}

impl HybridScorer {
    /// The share of cases in which a good output of a held-out source outranks a degenerate text made from
    /// it (cut, doubled, shuffled and so on); `None` without good outputs.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn evaluate_guard(
        &self,
        sources: &[TrainingSource],
        plan: &HybridPlan,
    ) -> Result<Option<f64>, EncoderError> {
        let held_out = sources
            .iter()
            .filter(|source| plan.holds_out(&source.fingerprint()));
        compute_outranked_share(held_out, |groups| self.scores(groups, |_| true))
    }
}

/// Compares two metrics on the same sources, given the pairs of each source: the number that each metric orders as
/// people do, and the number of all.
///
/// # Errors
/// [`UndefinedReason`] if there are fewer than two sources, or none with two outputs that differ.
pub(crate) fn compare_pair_counts(
    own: &[(usize, usize)],
    others: &[(usize, usize)],
    resampling: ResamplingOptions,
) -> Result<LearnedMetricComparison, UndefinedReason> {
    let all_sources: Vec<usize> = (0..own.len()).collect();
    Ok(LearnedMetricComparison {
        interval: bootstrap(own.len(), resampling, |drawn| {
            Ok(sum_tau(own, drawn)? - sum_tau(others, drawn)?)
        })?,
        tau: sum_tau(own, &all_sources)?,
        other: sum_tau(others, &all_sources)?,
        sources: own.len(),
    })
}

/// The agreement over the drawn sources together.
fn sum_tau(counts: &[(usize, usize)], drawn: &[usize]) -> Result<f64, UndefinedReason> {
    let drawn_counts = drawn.iter().map(|at| counts[*at]);
    let sum = drawn_counts.fold((0, 0), |sum, source_counts| {
        (sum.0 + source_counts.0, sum.1 + source_counts.1)
    });
    compute_tau(sum).ok_or(UndefinedReason::NoPreference)
}

/// For each source, the pairs that the model orders as people do, and all pairs.
fn count_ordered_by_source(model: &HybridPredictor, table: &FeatureTable) -> Vec<(usize, usize)> {
    let scores = score_table(model, table);
    group_by_source(table)
        .map(|group| count_ordered_pairs(table, &scores, group, f64::MIN))
        .collect()
}

/// The share of cases in which a good output of these sources outranks a degenerate text made from it;
/// `scores` computes the scores of each group's outputs.
pub(crate) fn compute_outranked_share<'a, E>(
    sources: impl Iterator<Item = &'a TrainingSource>,
    scores: impl FnOnce(&[SourceGroup<'_>]) -> Result<Vec<Vec<f64>>, E>,
) -> Result<Option<f64>, E> {
    let cases: Vec<(&TrainingSource, Vec<DegenerateOutput>)> = sources
        .map(|source| {
            (
                source,
                make_degenerate_outputs(source, GOOD_OUTPUTS_PER_SOURCE, SEED),
            )
        })
        .filter(|(_, degenerate)| !degenerate.is_empty())
        .collect();
    let groups = cases
        .iter()
        .map(|(source, degenerate)| with_degenerate(source, degenerate));
    let groups: Vec<SourceGroup<'_>> = groups.collect();

    let mut outranked = (0, 0);
    for ((source, made), scores) in cases.iter().zip(scores(&groups)?) {
        let (output_scores, degenerate_scores) = scores.split_at(source.outputs.len());
        for (made, score) in made.iter().zip(degenerate_scores) {
            outranked.0 += usize::from(output_scores[made.good] > *score);
            outranked.1 += 1;
        }
    }

    Ok(compute_share(outranked))
}

fn with_degenerate<'a>(
    source: &'a TrainingSource,
    made: &'a [DegenerateOutput],
) -> SourceGroup<'a> {
    let mut group = source.as_group();
    group
        .outputs
        .extend(made.iter().map(|output| output.text.as_str()));
    group
}

fn score_table(model: &HybridPredictor, table: &FeatureTable) -> Vec<f64> {
    table
        .outputs
        .iter()
        .map(|output| model.score(table.rows_of(output)))
        .collect()
}
