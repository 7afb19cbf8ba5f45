//! What the metric computes: trees for how right an output is, a ranker for which of the good ones is
//! better.

use serde::{Deserialize, Serialize};

use super::{
    feature_table::FeatureTable,
    ranker::{self, PreferencePair},
    trees::{self, FeatureRows, TreeEnsemble, TreeGrower},
};

/// How many trees the guard has.
const GUARD_TREES: usize = 150;

/// How the two parts are learned and put together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HybridSettings {
    /// The trees, which learn the mean z of each output.
    pub trees: trees::TreeSettings,
    /// The ranker, which learns which of two good outputs has the higher mean z.
    pub ranker: ranker::RankerSettings,
    /// How much the ranker counts: so many points for a standard deviation of its own.
    pub beta: f64,
    /// What an output must be worth, by the trees, for the ranker to count half; it counts .27 at 0 and
    /// .88 at three times as much. Above 0. The ranker knows good outputs only, and of bad ones
    /// what it says is noise.
    pub gate: f64,
    /// How much the guard counts: so many points less for a text that was surely made to be worse.
    pub guard: f64,
    /// How many references are taken of each source, the first ones; 0 for none at all.
    pub references: usize,
    /// With references, an output is worth the mean over this many of those that speak most for it.
    #[serde(rename = "top")]
    pub top_references: usize,
    /// What a point below 0 counts for the trees beside one above: with less than 1 they spend
    /// themselves less on how bad bad outputs are, which is most of what there is to learn, and more on
    /// which of the good ones is better. The score is stretched back.
    #[serde(rename = "low")]
    pub negative_scale: f64,
    /// Features beyond this share of the rows on either side count as the value there.
    pub clip: f64,
    /// What begins everything that is drawn by lot.
    pub seed: u64,
}

impl HybridSettings {
    /// Without references.
    #[must_use]
    pub const fn reference_free(seed: u64) -> Self {
        Self {
            trees: trees::TreeSettings {
                max_trees: 350,
                learning_rate: 0.03,
                max_leaves: 8,
                min_rows_per_leaf: 20,
                column_sample: 0.5,
                row_sample: 0.7,
                lambda: 5.0,
            },
            ranker: ranker::RankerSettings {
                min_good_z: -0.25,
                min_z_difference: 0.2,
                c: 0.001,
            },
            beta: 0.28,
            gate: 0.1,
            guard: 0.5,
            references: 0,
            top_references: 1,
            negative_scale: 0.5,
            clip: 0.01,
            seed,
        }
    }

    /// With references.
    #[must_use]
    pub const fn with_references(seed: u64) -> Self {
        let mut settings = Self::reference_free(seed);
        settings.trees.min_rows_per_leaf = 150;
        settings.references = 10;
        settings.top_references = 2;
        settings
    }
}

/// Trees and ranker. All numbers have single precision, as in a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HybridPredictor {
    /// The least and the greatest value of each feature that counts.
    pub(super) clip: Vec<[f32; 2]>,
    pub(super) trees: TreeEnsemble,
    /// Tells what nobody would write from what systems and people write: from 0 to about 1.
    pub(super) guard: TreeEnsemble,
    /// How much it takes off.
    pub(super) guard_weight: f64,
    /// What each feature adds, by the ranker.
    pub(super) ranker_weights: Vec<f32>,
    /// What is added to put the ranker's mean at 0.
    pub(super) ranker_offset: f32,
    /// What an output is worth by the trees where the ranker counts half.
    pub(super) gate: f64,
    /// How many of its rows, the best by the trees, say what an output is worth.
    pub(super) top_references: usize,
    /// What a point below 0 counts beside one above, before it is stretched back.
    pub(super) negative_scale: f64,
}

impl HybridPredictor {
    /// Clipped, guarded and ranked, without a tree yet that knows how right an output is. What was made
    /// to be worse teaches the guard, and nothing else.
    pub(super) fn new(table: &FeatureTable, settings: &HybridSettings) -> Self {
        let rated = table.without_degenerate();
        let clip = compute_clip_ranges(&rated, settings.clip);
        let wanted: Vec<f64> = compute_targets(&rated, settings.negative_scale).collect();
        let (weights, offset) = fit_ranker(&rated, &clip, settings);
        let mut hybrid = Self {
            clip,
            trees: TreeEnsemble::from_targets(&wanted),
            guard: TreeEnsemble::from_targets(&[0.0]),
            guard_weight: settings.guard,
            ranker_weights: weights,
            ranker_offset: offset,
            gate: settings.gate,
            top_references: settings.top_references.max(1),
            negative_scale: settings.negative_scale,
        };
        hybrid.train_guard(table, settings);
        hybrid
    }

    fn train_guard(&mut self, table: &FeatureTable, settings: &HybridSettings) {
        let values = self.clip_table(table);
        let rows = FeatureRows {
            values: &values,
            columns: table.columns,
        };
        let of = |output: &super::feature_table::TableOutput| {
            let made = f64::from(u8::from(output.is_degenerate));
            std::iter::repeat_n(made, output.rows[1] - output.rows[0])
        };
        let made: Vec<f64> = table.outputs.iter().flat_map(of).collect();
        let trees = trees::TreeSettings {
            max_trees: GUARD_TREES.min(settings.trees.max_trees),
            learning_rate: 0.1,
            ..settings.trees
        };
        let mut grower = TreeGrower::new(&self.guard, rows, &made, trees, settings.seed);
        while grower.step(&mut self.guard).is_some() {}
    }

    /// A table's rows as the trees see them.
    pub(super) fn clip_table(&self, table: &FeatureTable) -> Vec<f32> {
        let rows = (0..table.rows()).map(|at| clip_row(table.row(at), &self.clip));
        rows.flatten().collect()
    }

    /// What an output is worth, of its rows: z-scores of people come nearest to it, though it is no
    /// z-score itself.
    pub(super) fn score<'a>(&self, rows: impl IntoIterator<Item = &'a [f32]>) -> f64 {
        let rows = rows.into_iter().map(|row| clip_row(row, &self.clip));
        let rows: Vec<Vec<f32>> = rows.collect();
        let each =
            |of: &dyn Fn(&[f32]) -> f64| -> Vec<f64> { rows.iter().map(|row| of(row)).collect() };
        let mut worths = each(&|row| self.trees.predict(row));
        worths.sort_by(|a, b| b.total_cmp(a));
        worths.truncate(self.top_references);
        let worth = mean(&worths);
        let counts = 1.0 / (1.0 + (1.0 - worth / self.gate).exp());
        let faults = mean(&each(&|row| self.guard.predict(row).clamp(0.0, 1.0)));
        let score = worth + counts * mean(&each(&|row| self.ranker_score(row)))
            - self.guard_weight * faults;
        if score < 0.0 { score / self.negative_scale } else { score }
    }

    /// What the ranker says of a clipped row.
    fn ranker_score(&self, row: &[f32]) -> f64 {
        let added = row.iter().zip(&self.ranker_weights);
        let sum: f64 = added.map(|(x, w)| f64::from(*x) * f64::from(*w)).sum();
        sum + f64::from(self.ranker_offset)
    }
}

/// What each row is to be worth, points below 0 counting `low`.
pub(super) fn compute_targets(table: &FeatureTable, negative_scale: f64) -> impl Iterator<Item = f64> {
    let rows = move |output: &super::feature_table::TableOutput| {
        let z = f64::from(output.z);
        std::iter::repeat_n(
            if z < 0.0 { z * negative_scale } else { z },
            output.rows[1] - output.rows[0],
        )
    };
    table.outputs.iter().flat_map(rows)
}

fn compute_clip_ranges(table: &FeatureTable, share: f64) -> Vec<[f32; 2]> {
    let column = |at: usize| {
        let mut values: Vec<f32> = (0..table.rows()).map(|row| table.row(row)[at]).collect();
        values.sort_by(f32::total_cmp);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a share of a small number"
        )]
        let beyond = (values.len() as f64 * share) as usize;
        match values.len() {
            0 => [0.0; 2],
            rows => [values[beyond], values[rows - 1 - beyond]],
        }
    };
    (0..table.columns).map(column).collect()
}

fn clip_row(row: &[f32], clip: &[[f32; 2]]) -> Vec<f32> {
    let values = row.iter().zip(clip);
    values
        .map(|(value, [least, most])| value.clamp(*least, *most))
        .collect()
}

/// The ranker's weight of each feature, scaled so that a standard deviation over the rows is β, and
/// what is added to it.
#[expect(
    clippy::cast_possible_truncation,
    reason = "models have single precision"
)]
fn fit_ranker(
    table: &FeatureTable,
    clip: &[[f32; 2]],
    settings: &HybridSettings,
) -> (Vec<f32>, f32) {
    // Of an output the mean of its rows: the ranker is linear, so this is the mean of its scores.
    let means: Vec<Vec<f64>> = table
        .outputs
        .iter()
        .map(|output| {
            let mut sum = vec![0.0; table.columns];
            let mut rows = 0.0;
            for row in table.rows_of(output) {
                rows += 1.0;
                for (sum, value) in sum.iter_mut().zip(clip_row(row, clip)) {
                    *sum += f64::from(value);
                }
            }
            sum.iter().map(|sum| sum / f64::max(rows, 1.0)).collect()
        })
        .collect();
    let sd: Vec<f64> = (0..table.columns)
        .map(|at| standard_deviation(&means.iter().map(|row| row[at]).collect::<Vec<f64>>()))
        // A feature that is always the same says nothing, whatever it is divided by.
        .map(|sd| if sd > 1e-9 { sd } else { f64::INFINITY })
        .collect();
    let pairs = collect_preference_pairs(table, &means, &sd, &settings.ranker);
    let weights = ranker::fit(&pairs, table.columns, settings.ranker.c);
    let weights: Vec<f64> = weights.iter().zip(&sd).map(|(w, sd)| w / sd).collect();
    let worth = |row: &Vec<f64>| row.iter().zip(&weights).map(|(x, w)| x * w).sum();
    let worths: Vec<f64> = means.iter().map(worth).collect();
    let sd = standard_deviation(&worths);
    let scale = if sd > 1e-12 { settings.beta / sd } else { 0.0 };
    let weights = weights.iter().map(|w| (w * scale) as f32).collect();
    (weights, (-mean(&worths) * scale) as f32)
}

/// Good outputs of one source that are apart.
fn collect_preference_pairs(
    table: &FeatureTable,
    means: &[Vec<f64>],
    sd: &[f64],
    which: &ranker::RankerSettings,
) -> Vec<PreferencePair> {
    let mut pairs = Vec::new();
    for group in group_by_source(table) {
        let good: Vec<usize> = group
            .filter(|at| f64::from(table.outputs[*at].z) > which.min_good_z)
            .collect();
        for (nth, &a) in good.iter().enumerate() {
            for &b in &good[nth + 1..] {
                let apart = f64::from(table.outputs[a].z) - f64::from(table.outputs[b].z);
                if apart.abs() <= which.min_z_difference {
                    continue;
                }
                let (better, worse) = if apart > 0.0 { (a, b) } else { (b, a) };
                let values = means[better].iter().zip(&means[worse]).zip(sd);
                pairs.push(PreferencePair {
                    difference: values
                        .map(|((better, worse), sd)| (better - worse) / sd)
                        .collect(),
                    weight: apart.abs(),
                });
            }
        }
    }
    pairs
}

/// The places of the outputs of each source.
pub(super) fn group_by_source(
    table: &FeatureTable,
) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut first = 0;
    table
        .outputs
        .chunk_by(|a, b| a.source == b.source)
        .map(move |group| {
            let range = first..first + group.len();
            first = range.end;
            range
        })
}

#[expect(clippy::cast_precision_loss, reason = "rows stay far under 2⁵³")]
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn standard_deviation(values: &[f64]) -> f64 {
    let centre = mean(values);
    let squares: Vec<f64> = values.iter().map(|it| (it - centre).powi(2)).collect();
    mean(&squares).sqrt()
}
