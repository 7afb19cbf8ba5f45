//! The computation of the metric: trees predict the quality of an output, a ranker which of two is better.

use serde::{Deserialize, Serialize};

use super::{
    feature_table::FeatureTable,
    features::{CHARACTER_RATIO, GRADE_DIFFERENCE},
    ranker,
    ranker_pairs::collect_preference_pairs,
    trees::{self, FeatureRows, TreeEnsemble, TreeGrower},
};

/// The number of trees of the guard.
const GUARD_TREES: usize = 150;

/// The settings of the two parts and their combination.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct HybridSettings {
    /// The trees, which predict the mean z of each output.
    pub trees: trees::TreeSettings,
    /// The ranker, which predicts which of two good outputs has the higher mean z.
    pub ranker: ranker::RankerSettings,
    /// The weight of the ranker: points of score per standard deviation of its output.
    pub beta: f64,
    /// The prediction of the trees at which the ranker counts half (a logistic gate); it counts .27 at 0 and .88 at
    /// three times as much. A ranker trained on good outputs only is noise on bad ones. 0 for no gate: the ranker
    /// counts fully.
    pub gate: f64,
    /// The reward for simplification that no rating taught.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<GainSettings>,
    /// The weight of the guard: points deducted from a text that is certainly degenerate.
    pub guard: f64,
    /// The number of references used of each source, the first ones; 0 for a metric without references.
    pub references: usize,
    /// With references, the prediction is the mean over this many references with the highest predictions.
    #[serde(rename = "top")]
    pub top_references: usize,
    /// The factor on targets below 0. Below 1, the trees fit less of the differences among bad outputs, which are most
    /// of the variance, and more of those among good ones. Scores are scaled back.
    #[serde(rename = "low")]
    pub negative_scale: f64,
    /// Features are clipped at this quantile and at its counterpart on the other side.
    pub clip: f64,
    /// The random seed.
    pub seed: u64,
}

/// A reward for simplification. Systems of a dataset differ most in whether their outputs are correct, so a metric that
/// learns from it sees little of what people prefer among correct outputs: the simpler ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct GainSettings {
    /// Points for an output that is shorter than its source by its whole length.
    pub compression: f64,
    /// Points for an output whose grade level (FKGL) is one below its source's.
    pub grade: f64,
    /// The score without the reward at which half of the reward counts (a logistic gate).
    pub threshold: f64,
    /// The width of that gate, in points of score. Above 0.
    pub width: f64,
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
                min_good_z: 0.0,
                min_z_difference: 0.2,
                c: 100.0,
                balance: Some(ranker::PairBalance {
                    all: 1.0,
                    good: 1.0,
                    degenerate: 0.5,
                }),
            },
            beta: 0.5,
            gate: 0.0,
            gain: Some(GainSettings {
                compression: 0.6,
                grade: 0.03,
                threshold: 0.0,
                width: 0.15,
            }),
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
        settings.ranker = ranker::RankerSettings {
            min_good_z: -0.25,
            min_z_difference: 0.2,
            c: 0.001,
            balance: None,
        };
        (settings.beta, settings.gate, settings.gain) = (0.28, 0.1, None);
        settings.references = 10;
        settings.top_references = 2;
        settings
    }
}

/// Trees, guard and ranker. All numbers have single precision, as in a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HybridPredictor {
    /// The range to which each feature is clipped.
    pub(super) clip: Vec<[f32; 2]>,
    pub(super) trees: TreeEnsemble,
    /// Predicts whether a text is degenerate, from 0 to about 1.
    pub(super) guard: TreeEnsemble,
    /// The weight of the guard.
    pub(super) guard_weight: f64,
    /// The ranker's weight of each feature.
    pub(super) ranker_weights: Vec<f32>,
    /// The ranker's intercept, which puts its mean at 0.
    pub(super) ranker_offset: f32,
    /// The prediction of the trees at which the ranker counts half; 0 for no gate.
    pub(super) gate: f64,
    /// The reward for simplification.
    pub(super) gain: Option<GainSettings>,
    /// The number of an output's rows, those with the highest predictions, that count.
    pub(super) top_references: usize,
    /// The factor on targets below 0, by which scores are scaled back.
    pub(super) negative_scale: f64,
}

impl HybridPredictor {
    /// A predictor with clip ranges, guard and ranker, but without trees for the mean z. Degenerate texts train the
    /// guard and, if the ranker's pairs are balanced, the ranker.
    pub(super) fn new(table: &FeatureTable, settings: &HybridSettings) -> Self {
        let rated_table = table.without_degenerate();
        let clip = compute_clip_ranges(&rated_table, settings.clip);
        let targets: Vec<f64> = compute_targets(&rated_table, settings.negative_scale).collect();
        let (weights, offset) = fit_ranker(table, &clip, settings);

        let mut hybrid = Self {
            clip,
            trees: TreeEnsemble::from_targets(&targets),
            guard: TreeEnsemble::from_targets(&[0.0]),
            guard_weight: settings.guard,
            ranker_weights: weights,
            ranker_offset: offset,
            gate: settings.gate,
            gain: settings.gain,
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
        let targets: Vec<f64> = table
            .outputs
            .iter()
            .flat_map(|output| {
                let target = f64::from(u8::from(output.is_degenerate));
                std::iter::repeat_n(target, output.rows[1] - output.rows[0])
            })
            .collect();

        // Degenerate texts are easy to recognise: fewer trees that learn faster are enough.
        let trees = trees::TreeSettings {
            max_trees: GUARD_TREES.min(settings.trees.max_trees),
            learning_rate: 0.1,
            ..settings.trees
        };

        let mut grower = TreeGrower::new(&self.guard, rows, &targets, trees, settings.seed);
        while grower.step(&mut self.guard).is_some() {}
    }

    /// A table's rows, clipped.
    pub(super) fn clip_table(&self, table: &FeatureTable) -> Vec<f32> {
        let rows = (0..table.rows()).map(|at| clip_row(table.row(at), &self.clip));
        rows.flatten().collect()
    }

    /// The score of an output, given its rows. It approximates the mean z-score of people, but is not itself a z-score.
    pub(super) fn score<'a>(&self, rows: impl IntoIterator<Item = &'a [f32]>) -> f64 {
        let rows = rows.into_iter().map(|row| clip_row(row, &self.clip));
        let rows: Vec<Vec<f32>> = rows.collect();

        let mut predictions = predict_rows(&rows, |row| self.trees.predict(row));
        predictions.sort_by(|a, b| b.total_cmp(a));
        predictions.truncate(self.top_references);
        let prediction = mean(&predictions);

        // The ranker knows good outputs only: a logistic gate lowers its weight on bad ones.
        let ranker_weight = match self.gate > 0.0 {
            true => 1.0 / (1.0 + (1.0 - prediction / self.gate).exp()),
            false => 1.0,
        };
        let degeneracy = mean(&predict_rows(&rows, |row| {
            self.guard.predict(row).clamp(0.0, 1.0)
        }));
        let mut score = prediction
            + ranker_weight * mean(&predict_rows(&rows, |row| self.ranker_score(row)))
            - self.guard_weight * degeneracy;

        if let Some(gain) = &self.gain {
            score += mean(&predict_rows(&rows, |row| gain.points(row, score)));
        }

        if score < 0.0 {
            score / self.negative_scale
        } else {
            score
        }
    }

    /// The ranker's score of a clipped row.
    fn ranker_score(&self, row: &[f32]) -> f64 {
        let added = row.iter().zip(&self.ranker_weights);
        let sum: f64 = added.map(|(x, w)| f64::from(*x) * f64::from(*w)).sum();
        sum + f64::from(self.ranker_offset)
    }
}

impl GainSettings {
    /// The points for a row of features, given the score without them.
    fn points(&self, row: &[f32], score: f64) -> f64 {
        let shorter = 1.0 - feature_or(row, CHARACTER_RATIO, 1.0);
        let easier = -feature_or(row, GRADE_DIFFERENCE, 0.0);
        let gate = 1.0 / (1.0 + ((self.threshold - score) / self.width).exp());
        gate * (self.compression * shorter + self.grade * easier)
    }
}

fn predict_rows(rows: &[Vec<f32>], predict: impl Fn(&[f32]) -> f64) -> Vec<f64> {
    rows.iter().map(|row| predict(row)).collect()
}

/// A feature of a row; `neutral` if the row lacks it.
fn feature_or(row: &[f32], at: usize, neutral: f64) -> f64 {
    row.get(at).map_or(neutral, |x| f64::from(*x))
}

/// The target of each row: the mean z of its output, scaled if it is below 0.
pub(super) fn compute_targets(
    table: &FeatureTable,
    negative_scale: f64,
) -> impl Iterator<Item = f64> {
    table.outputs.iter().flat_map(move |output| {
        let z = f64::from(output.z);
        std::iter::repeat_n(
            if z < 0.0 { z * negative_scale } else { z },
            output.rows[1] - output.rows[0],
        )
    })
}

fn compute_clip_ranges(table: &FeatureTable, share: f64) -> Vec<[f32; 2]> {
    (0..table.columns)
        .map(|column| compute_clip_range(table, column, share))
        .collect()
}

/// The values of a column at the quantile `share` and at its counterpart on the other side; zeros for an empty table.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a share of a small number"
)]
fn compute_clip_range(table: &FeatureTable, column: usize, share: f64) -> [f32; 2] {
    let mut values: Vec<f32> = (0..table.rows())
        .map(|row| table.row(row)[column])
        .collect();
    values.sort_by(f32::total_cmp);

    let beyond = (values.len() as f64 * share) as usize;
    match values.len() {
        0 => [0.0; 2],
        rows => [values[beyond], values[rows - 1 - beyond]],
    }
}

fn clip_row(row: &[f32], clip: &[[f32; 2]]) -> Vec<f32> {
    let values = row.iter().zip(clip);
    values
        .map(|(value, [least, most])| value.clamp(*least, *most))
        .collect()
}

/// The ranker's weight of each feature, scaled so that the standard deviation over the rows is β, and
/// its intercept.
#[expect(
    clippy::cast_possible_truncation,
    reason = "models have single precision"
)]
fn fit_ranker(
    table: &FeatureTable,
    clip: &[[f32; 2]],
    settings: &HybridSettings,
) -> (Vec<f32>, f32) {
    // The mean of an output's rows: the ranker is linear, so its score is the mean of its rows' scores.
    let row_means: Vec<Vec<f64>> = table
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

    // Degenerate texts have features that no system's output has, so they do not set the scale.
    let outputs = row_means.iter().zip(&table.outputs);
    let rated_means: Vec<&Vec<f64>> = outputs
        .filter(|(_, output)| !output.is_degenerate)
        .map(|(row, _)| row)
        .collect();
    let sd: Vec<f64> = (0..table.columns)
        .map(|at| standard_deviation(&rated_means.iter().map(|row| row[at]).collect::<Vec<f64>>()))
        // A constant feature gets no weight: dividing it by infinity gives 0.
        .map(|sd| if sd > 1e-9 { sd } else { f64::INFINITY })
        .collect();

    let pairs = collect_preference_pairs(table, &row_means, &sd, &settings.ranker);
    let weights = ranker::fit(&pairs, table.columns, settings.ranker.c);
    let weights: Vec<f64> = weights.iter().zip(&sd).map(|(w, sd)| w / sd).collect();
    let predictions: Vec<f64> = rated_means
        .iter()
        .map(|row| row.iter().zip(&weights).map(|(x, w)| x * w).sum())
        .collect();

    let score_sd = standard_deviation(&predictions);
    let scale = if score_sd > 1e-12 {
        settings.beta / score_sd
    } else {
        0.0
    };

    let weights = weights.iter().map(|w| (w * scale) as f32).collect();
    (weights, (-mean(&predictions) * scale) as f32)
}

#[expect(clippy::cast_precision_loss, reason = "rows stay far under 2⁵³")]
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn standard_deviation(values: &[f64]) -> f64 {
    let centre = mean(values);
    let squares: Vec<f64> = values
        .iter()
        .map(|value| (value - centre).powi(2))
        .collect();
    mean(&squares).sqrt()
}

#[cfg(test)]
mod tests {
    use super::{super::ShippedModel, *};

    #[test]
    fn the_reward_looks_at_the_columns_that_it_means() {
        for shipped in ShippedModel::ALL {
            let names = shipped.load().card().features.names.clone();
            assert_eq!(names[CHARACTER_RATIO], "ratio of characters");
            assert_eq!(names[GRADE_DIFFERENCE], "grade level, difference");
        }
    }

    #[test]
    fn simplification_is_rewarded_where_an_output_is_good() {
        let gain = HybridSettings::reference_free(1).gain.expect("a reward");
        let mut row = vec![0.0; CHARACTER_RATIO + 1];
        row[CHARACTER_RATIO] = 1.0;
        assert!(gain.points(&row, 1.0).abs() < 1e-9, "nothing is simpler");
        (row[CHARACTER_RATIO], row[GRADE_DIFFERENCE]) = (0.75, -4.0);
        let (good, bad) = (gain.points(&row, 1.0), gain.points(&row, -1.0));
        assert!(good > 0.2 && bad < 0.01, "{good} {bad}");
        let half = gain.points(&row, gain.threshold);
        assert!(
            (half - (0.6 * 0.25 + 0.03 * 4.0) / 2.0).abs() < 1e-9,
            "{half}"
        );
    }
}
