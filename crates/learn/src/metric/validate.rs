//! Cross-validation: a metric's agreement with people on sources that it was not trained on.

use std::{
    ops::{ControlFlow, Range},
    thread,
};

use domain::{
    metrics::learned_quality::LearnedMetricQuality, random::SeededRandom,
    statistics::correlation::pearson,
};
use serde::{Deserialize, Serialize};

use super::{
    feature_table::{FeatureTable, group_by_source},
    hybrid::{self, HybridPredictor, HybridSettings},
    trees::{FeatureRows, TreeGrower},
};

/// Pairs of outputs whose mean z differ by this or less are ties.
const MIN_Z_DIFFERENCE: f64 = 0.2;

/// The settings of a cross-validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrossValidationSettings {
    /// The number of folds of the sources, each held out once.
    pub folds: usize,
    /// The number of repeats with different folds; reported figures are the means.
    pub repeats: usize,
    /// The random seed of folds and trainings, one more in each repeat.
    pub seed: u64,
}

impl Default for CrossValidationSettings {
    /// Ten folds, five times. The seed is not 1, on whose folds the settings were chosen.
    fn default() -> Self {
        Self {
            folds: 10,
            repeats: 5,
            seed: 11,
        }
    }
}

/// A good output's index in the table, and the rows of a degenerate text made from it.
pub(super) type DegenerateCase = (usize, Vec<Vec<f32>>);

/// Good outputs with the features of degenerate texts made from them.
#[derive(Debug, Clone, Default)]
pub struct DegenerateFeatures {
    /// The cases of each source of the table.
    pub(super) cases: Vec<Vec<DegenerateCase>>,
}

/// The outcome of a cross-validation.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossValidationScores {
    /// The figures of each repeat.
    pub repeats: Vec<LearnedMetricQuality>,
    /// For each rated output, its score in the first repeat, by a model that did not learn from its source, and its
    /// mean z-score.
    pub judged: Vec<[f64; 2]>,
}

/// For each fold of each repeat, trains on the other folds and scores this one. `on_fold` is called after each fold,
/// from any thread; a break stops the work, and the result is `None`.
pub fn cross_validate(
    table: &FeatureTable,
    degenerate: &DegenerateFeatures,
    settings: &HybridSettings,
    validation: CrossValidationSettings,
    on_fold: impl Fn() -> ControlFlow<()> + Sync,
) -> Option<CrossValidationScores> {
    let on_fold = &on_fold;
    let repeats: Vec<Option<(LearnedMetricQuality, Vec<f64>)>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..validation.repeats)
            .map(|repeat| {
                scope.spawn(move || {
                    run_repeat(repeat, table, degenerate, settings, validation, on_fold)
                })
            })
            .collect();
        let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
        joined
            .map(|repeat| repeat.expect("training does not panic"))
            .collect()
    });
    let repeats: Vec<_> = repeats.into_iter().collect::<Option<_>>()?;

    let first = repeats.first().map_or(&[][..], |(_, scores)| scores);
    let rated_outputs = table
        .outputs
        .iter()
        .zip(first)
        .filter(|(output, _)| !output.is_degenerate);
    Some(CrossValidationScores {
        judged: rated_outputs
            .map(|(output, score)| [*score, f64::from(output.z)])
            .collect(),
        repeats: repeats.into_iter().map(|(figures, _)| figures).collect(),
    })
}

/// The figures and scores of one repeat; `None` if `on_fold` stopped it.
fn run_repeat(
    repeat: usize,
    table: &FeatureTable,
    degenerate: &DegenerateFeatures,
    settings: &HybridSettings,
    validation: CrossValidationSettings,
    on_fold: &(impl Fn() -> ControlFlow<()> + Sync),
) -> Option<(LearnedMetricQuality, Vec<f64>)> {
    let seed = validation.seed.wrapping_add(repeat as u64);
    let fold_of = assign_folds(table.sources.len(), validation.folds, seed);
    let mut scores = vec![0.0; table.outputs.len()];
    let mut outranked = (0_usize, 0_usize);
    for fold in 0..validation.folds {
        let training = table.select_sources(|source| fold_of[source] != fold);
        let model = fit_predictor(&training, &HybridSettings { seed, ..*settings });

        for (score, output) in scores.iter_mut().zip(&table.outputs) {
            if fold_of[output.source] == fold {
                *score = model.score(table.rows_of(output));
            }
        }

        // Degenerate texts are judged against the good output that they were made from, both by the model that has seen
        // neither.
        let left_out = degenerate
            .cases
            .iter()
            .zip(&fold_of)
            .filter(|(_, source_fold)| **source_fold == fold);
        for (good, rows) in left_out.flat_map(|(cases, _)| cases) {
            let score = model.score(rows.iter().map(Vec::as_slice));
            outranked.0 += usize::from(scores[*good] > score);
            outranked.1 += 1;
        }

        if on_fold().is_break() {
            return None;
        }
    }

    let figures = LearnedMetricQuality {
        degenerate: compute_share(outranked),
        ..compute_figures(table, &scores)
    };
    Some((figures, scores))
}

/// A predictor trained on all of a table.
pub(super) fn fit_predictor(table: &FeatureTable, settings: &HybridSettings) -> HybridPredictor {
    let mut model = HybridPredictor::new(table, settings);
    let rated_table = table.without_degenerate();
    let values = model.clip_table(&rated_table);
    let rows = FeatureRows {
        values: &values,
        columns: table.columns,
    };
    let targets: Vec<f64> =
        hybrid::compute_targets(&rated_table, settings.negative_scale).collect();

    let mut grower = TreeGrower::new(&model.trees, rows, &targets, settings.trees, settings.seed);
    while grower.step(&mut model.trees).is_some() {}
    model
}

/// The agreement with people of `scores`, one for each output of the table.
pub(super) fn compute_figures(table: &FeatureTable, scores: &[f64]) -> LearnedMetricQuality {
    let pairs: Vec<(f64, f64)> = (0..scores.len())
        .filter(|at| !table.outputs[*at].is_degenerate)
        .map(|at| (scores[at], f64::from(table.outputs[at].z)))
        .collect();

    LearnedMetricQuality {
        r: pearson(&pairs)
            .ok()
            .map(|correlation| correlation.coefficient),
        tau: compute_tau_above(table, scores, f64::MIN),
        hard: compute_tau_above(table, scores, 0.0),
        degenerate: None,
        outputs: pairs.len(),
        sources: table.sources.len(),
    }
}

/// The agreement over the pairs of outputs with a mean z above `min_z`.
fn compute_tau_above(table: &FeatureTable, scores: &[f64], min_z: f64) -> Option<f64> {
    let counts =
        group_by_source(table).map(|group| count_ordered_pairs(table, scores, group, min_z));
    compute_tau(counts.fold((0, 0), |sum, source_counts| {
        (sum.0 + source_counts.0, sum.1 + source_counts.1)
    }))
}

/// Counts the pairs of a source's rated outputs that have a mean z above `min_z` and that raters do not tie: first
/// those that the scores put in the same order, then all.
pub(super) fn count_ordered_pairs(
    table: &FeatureTable,
    scores: &[f64],
    group: Range<usize>,
    min_z: f64,
) -> (usize, usize) {
    let z = |at: usize| f64::from(table.outputs[at].z);
    let group: Vec<usize> = group
        .filter(|at| !table.outputs[*at].is_degenerate && z(*at) > min_z)
        .collect();

    let (mut right, mut all) = (0, 0);
    for (nth, &a) in group.iter().enumerate() {
        for &b in &group[nth + 1..] {
            let apart = z(a) - z(b);
            if apart.abs() > MIN_Z_DIFFERENCE {
                right += usize::from((scores[a] - scores[b]) * apart > 0.0);
                all += 1;
            }
        }
    }
    (right, all)
}

/// Kendall's tau-like from (concordant, all) pairs: concordant less discordant, as a share of all.
pub(super) fn compute_tau(counts: (usize, usize)) -> Option<f64> {
    compute_share(counts).map(|share| 2.0 * share - 1.0)
}

#[expect(clippy::cast_precision_loss, reason = "pairs stay far under 2⁵³")]
pub(super) fn compute_share((part, all): (usize, usize)) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

/// The fold of each source. Fold sizes differ by at most one.
fn assign_folds(sources: usize, folds: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sources).collect();
    SeededRandom::new(seed).shuffle(&mut order);
    let mut fold_of = vec![0; sources];
    for (at, source) in order.into_iter().enumerate() {
        fold_of[source] = at % folds.max(1);
    }
    fold_of
}
