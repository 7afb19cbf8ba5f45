//! The meaning of a score: its place among people's ratings, its possible error, and whether the texts are of a kind
//! that the metric knows.
//!
//! Everything is computed from scores of outputs that the metric did not learn from: held-out ones, or those of a
//! cross-validation. Expected ratings come from isotonic regression on scores. Intervals are those of cross-conformal
//! prediction, by parts of the scores (Vovk 2015): ratings are compared with what a regression on the other outputs expects.

use domain::metrics::{ScaleMark, ScoreScale};
use serde::{Deserialize, Serialize};

use super::feature_table::FeatureTable;

/// The fewest outputs from which a metric is calibrated.
pub(crate) const FEWEST_OUTPUTS: usize = 100;

/// The fewest outputs of a part of the scores, so that its outermost 2.5 % on both sides are more than chance.
const FEWEST_IN_PART: usize = 80;

/// The largest number of parts of the scores.
const MOST_PARTS: usize = 10;

/// The largest number of comparisons of outputs for the distance of known ones.
const MOST_COMPARISONS: usize = 10_000_000;

/// The folds of outputs; the ratings of each are compared with what a regression on the others expects.
const FOLDS: usize = 5;

/// The share of outputs whose ratings lie within the interval of their score.
const INTERVAL: f64 = 0.95;

/// The number of steps of [`ScoreCalibration::scale`].
const SCALE_STEPS: u32 = 200;

/// The share of the training data that counts as being of a known kind.
const KNOWN_SHARE: f64 = 0.99;

/// The calibration of a model's scores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreCalibration {
    /// The number of outputs that it was computed from.
    pub outputs: usize,
    /// Scores, ascending, each with the mean z-score that people gave outputs of that score; linear in between.
    pub expected: Vec<[f64; 2]>,
    /// Parts of the scores, ascending.
    pub parts: Vec<ScorePart>,
    /// The mean z-scores of rated outputs at 0 %, 1 % … 100 % of them.
    pub ratings: Vec<f64>,
    /// The distance between the features of an output and those of the nearest output of another source that only one
    /// in a hundred outputs of the training data exceeds. `None` for a metric without features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
}

/// A part of the scores, and how far ratings lie from what is expected there.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ScorePart {
    /// The lowest score; ignored for the first part.
    pub from: f64,
    /// The lower end of 95 % of ratings, as a difference from the expected one, in standard deviations.
    pub below: f64,
    /// The upper end.
    pub above: f64,
}

/// The meaning of a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreMeaning {
    /// The share of rated outputs whose mean rating is below the one expected for the score, from 0 to 100.
    pub percent: f64,
    /// The interval of the mean ratings of 95 % of outputs with such a score, on the same scale.
    pub interval: (f64, f64),
    /// Whether the texts are unlike all those that the metric learned from, so that its score is a guess. `None` if the
    /// metric cannot tell.
    pub is_out_of_domain: Option<bool>,
}

impl ScoreCalibration {
    /// The calibration from outputs that the model did not learn from, each with its score and its mean z-score; `None`
    /// for fewer than 100 outputs or a score that is not finite. `ratings` are the mean z-scores that the model learned
    /// from, `distance` is that of known features.
    pub(crate) fn new(
        mut judged: Vec<[f64; 2]>,
        mut ratings: Vec<f64>,
        distance: Option<f64>,
    ) -> Option<Self> {
        // A fold that diverged gives scores that are not finite, which say nothing.
        if judged.len() < FEWEST_OUTPUTS || judged.iter().flatten().any(|value| !value.is_finite())
        {
            return None;
        }

        judged.sort_by(|[a, _], [b, _]| a.total_cmp(b));
        let expected = fit_isotonic(&judged);
        let residuals = cross_fit_residuals(&judged);

        let count = (judged.len() / FEWEST_IN_PART).clamp(1, MOST_PARTS);
        let parts = (0..count).map(|part| {
            let range = judged.len() * part / count..judged.len() * (part + 1) / count;
            let mut residuals = residuals[range.clone()].to_vec();
            residuals.sort_by(f64::total_cmp);
            ScorePart {
                from: judged[range.start][0],
                below: outer(&residuals, (1.0 - INTERVAL) / 2.0),
                above: -outer(&negated(&residuals), (1.0 - INTERVAL) / 2.0),
            }
        });

        ratings.sort_by(f64::total_cmp);
        Some(Self {
            outputs: judged.len(),
            parts: parts.collect(),
            expected,
            ratings: (0..=100)
                .map(|percent| ratings[(ratings.len() - 1) * percent / 100])
                .collect(),
            distance,
        })
    }

    /// Whether a file's numbers can be used.
    pub(crate) fn is_sound(&self) -> bool {
        ascends(self.expected.iter().map(|knot| knot[0]))
            && ascends(self.expected.iter().map(|knot| knot[1]))
            && ascends(self.parts.iter().map(|part| part.from))
            && ascends(self.ratings.iter().copied())
            && self.ratings.len() == 101
    }

    /// The meaning of a score of an output. `distance` is that of its features from those of the nearest known output;
    /// `None` for a metric without features.
    pub(crate) fn meaning(&self, score: f64, distance: Option<f64>) -> ScoreMeaning {
        let z = interpolate(&self.expected, score);
        let above = self.parts.iter().rposition(|part| part.from <= score);
        let part = self.parts[above.unwrap_or(0)];
        ScoreMeaning {
            percent: self.percent(z),
            interval: (self.percent(z + part.below), self.percent(z + part.above)),
            is_out_of_domain: distance
                .zip(self.distance)
                .map(|(distance, known)| distance > known),
        }
    }

    /// The meaning of all scores.
    #[must_use]
    pub fn scale(&self) -> ScoreScale {
        let (low, high) = (
            self.expected[0][0],
            self.expected[self.expected.len() - 1][0],
        );
        let marks = (0..=SCALE_STEPS).map(|step| {
            let score = low + (high - low) * f64::from(step) / f64::from(SCALE_STEPS);
            let meaning = self.meaning(score, None);
            ScaleMark {
                score,
                percent: meaning.percent,
                interval: meaning.interval,
            }
        });
        ScoreScale(marks.collect())
    }

    /// The share of rated outputs below a mean z-score.
    fn percent(&self, z: f64) -> f64 {
        let after = self.ratings.partition_point(|rating| *rating < z);
        if after == 0 || after == self.ratings.len() {
            return 100.0 * f64::from(u8::from(after > 0));
        }
        let (low, high) = (self.ratings[after - 1], self.ratings[after]);
        #[expect(clippy::cast_precision_loss, reason = "at most 100")]
        let percent = (after - 1) as f64 + (z - low) / (high - low);
        percent
    }
}

fn ascends(values: impl Iterator<Item = f64>) -> bool {
    let values: Vec<f64> = values.collect();
    !values.is_empty() && values.is_sorted()
}

/// The difference of each z-score from the one that a regression on the other folds expects. A fold is every fifth
/// output.
fn cross_fit_residuals(judged: &[[f64; 2]]) -> Vec<f64> {
    let mut residuals = vec![0.0; judged.len()];
    for fold in 0..FOLDS {
        let training: Vec<_> = (0..judged.len())
            .filter(|at| at % FOLDS != fold)
            .map(|at| judged[at])
            .collect();
        let expected = fit_isotonic(&training);
        for at in (0..judged.len()).filter(|at| at % FOLDS == fold) {
            let [score, z] = judged[at];
            residuals[at] = z - interpolate(&expected, score);
        }
    }
    residuals
}

/// The value at `score`, linear between ascending knots; beyond them, the value of the first or last knot.
fn interpolate(knots: &[[f64; 2]], score: f64) -> f64 {
    let after = knots.partition_point(|[at, _]| *at < score);
    match (after.checked_sub(1), knots.get(after)) {
        (Some(before), Some([high, above])) => {
            let [low, below] = knots[before];
            below + (above - below) * (score - low) / (high - low)
        }
        (None, Some([_, value])) => *value,
        (_, None) => knots[knots.len() - 1][1],
    }
}

/// Isotonic regression of z-scores on scores, by pooling adjacent violators. `judged` are pairs of both, sorted by
/// score. Each pool is a knot at its mean score.
fn fit_isotonic(judged: &[[f64; 2]]) -> Vec<[f64; 2]> {
    // Sums of scores and values, and the number of pairs.
    let mut pools: Vec<(f64, f64, f64)> = Vec::new();
    // Equal scores get one value.
    for equal in judged.chunk_by(|[a, _], [b, _]| a.total_cmp(b).is_eq()) {
        #[expect(clippy::cast_precision_loss, reason = "some thousand outputs")]
        let count = equal.len() as f64;
        let values = equal.iter().map(|[_, value]| value).sum();
        let mut pool = (equal[0][0] * count, values, count);
        while let Some((scores, values, count)) = pools.last().copied()
            && values / count >= pool.1 / pool.2
        {
            pool = (pool.0 + scores, pool.1 + values, pool.2 + count);
            pools.pop();
        }
        pools.push(pool);
    }

    let knots = pools.into_iter();
    knots
        .map(|(scores, values, count)| [scores / count, values / count])
        .collect()
}

/// The value below which at most a share `tail` of new values is expected: the k-th of the ascending ones, with
/// k = ⌊(n + 1)·tail⌋, or the first if k is 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a share of a small number"
)]
fn outer(ascending: &[f64], tail: f64) -> f64 {
    let nth = ((ascending.len() + 1) as f64 * tail) as usize;
    ascending[nth.max(1) - 1]
}

fn negated(ascending: &[f64]) -> Vec<f64> {
    ascending.iter().rev().map(|value| -value).collect()
}

/// The features of the outputs that a model knows, each scaled by its usual range.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct KnownFeatures {
    /// The usual range of each feature, low and high; both equal if it does not vary.
    ranges: Vec<[f32; 2]>,
    /// The features of each known output, one output after the other.
    features: Vec<f32>,
    /// The source of each.
    sources: Vec<usize>,
}

impl KnownFeatures {
    /// The outputs of a table, scaled by these usual ranges of features.
    pub(super) fn new(table: &FeatureTable, ranges: &[[f32; 2]]) -> Self {
        let rated = table.outputs.iter().filter(|output| !output.is_degenerate);
        let mut domain = Self {
            ranges: ranges.to_vec(),
            features: Vec::new(),
            sources: rated.clone().map(|output| output.source).collect(),
        };
        for output in rated {
            let features = domain.scale(table.rows_of(output));
            domain.features.extend(features);
        }
        domain
    }

    /// The mean of an output's rows, scaled so that the usual range of a feature is 0 to 1, and clamped to two ranges
    /// beyond it on either side.
    fn scale<'a>(&self, rows: impl Iterator<Item = &'a [f32]>) -> Vec<f32> {
        let mut sums = vec![0.0; self.ranges.len()];
        let mut count = 0.0;
        for row in rows {
            count += 1.0;
            for ((sum, value), [low, high]) in sums.iter_mut().zip(row).zip(&self.ranges) {
                if high > low {
                    *sum += ((value - low) / (high - low)).clamp(-2.0, 3.0);
                }
            }
        }
        sums.iter().map(|sum| sum / f32::max(count, 1.0)).collect()
    }

    /// The distance of an output's rows from those of the nearest known output: the mean difference of features, in
    /// usual ranges.
    pub(super) fn distance<'a>(&self, rows: impl Iterator<Item = &'a [f32]>) -> f64 {
        self.nearest(&self.scale(rows), |_| true)
    }

    fn nearest(&self, features: &[f32], is_other: impl Fn(usize) -> bool) -> f64 {
        let distances = self
            .features
            .chunks_exact(features.len())
            .zip(&self.sources)
            .filter(|(_, source)| is_other(**source))
            .map(|(known, _)| {
                let differences = known.iter().zip(features).map(|(a, b)| (a - b).abs());
                differences.sum::<f32>()
            });
        let nearest = distances.fold(f32::INFINITY, f32::min);

        #[expect(clippy::cast_precision_loss, reason = "some hundred features")]
        let mean = f64::from(nearest) / features.len() as f64;
        mean
    }

    /// The distance from the nearest output of another source that 99 % of the known outputs do not exceed.
    pub(super) fn known_distance(&self) -> f64 {
        // Each output is compared with all others; a sample is enough if there are many.
        let count = self.sources.len().max(1);
        let most = (MOST_COMPARISONS / count).max(200);

        let mut distances: Vec<f64> = self
            .features
            .chunks_exact(self.ranges.len())
            .zip(&self.sources)
            .step_by(count.div_ceil(most))
            .map(|(features, own)| self.nearest(features, |source| source != *own))
            .collect();
        distances.sort_by(f64::total_cmp);
        -outer(&negated(&distances), 1.0 - KNOWN_SHARE)
    }
}

#[cfg(test)]
mod tests {
    use domain::random::SeededRandom;

    use super::{super::feature_table::TableOutput, *};

    #[test]
    fn isotonic_regression_pools_violators() {
        let judged = [[0.0, 1.0], [1.0, 3.0], [2.0, 2.0], [3.0, 4.0]];
        let knots = fit_isotonic(&judged);
        assert_eq!(knots, [[0.0, 1.0], [1.5, 2.5], [3.0, 4.0]]);
        let tied = [[0.0, -1.0], [0.0, 1.0], [1.0, 2.0]];
        assert_eq!(fit_isotonic(&tied), [[0.0, 0.0], [1.0, 2.0]]);
        assert_eq!(interpolate(&knots, -1.0), 1.0);
        assert_eq!(interpolate(&knots, 0.75), 1.75);
        assert_eq!(interpolate(&knots, 9.0), 4.0);
    }

    #[test]
    fn a_percent_is_the_share_of_ratings_below() {
        let calibration = ScoreCalibration {
            outputs: 100,
            expected: vec![[-1.0, -1.0], [1.0, 1.0]],
            parts: vec![
                ScorePart {
                    from: -1.0,
                    below: -0.5,
                    above: 0.5,
                },
                ScorePart {
                    from: 0.0,
                    below: -0.2,
                    above: 0.2,
                },
            ],
            ratings: (0..=100).map(|at| f64::from(at) / 50.0 - 1.0).collect(),
            distance: Some(0.1),
        };
        assert!(calibration.is_sound());
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
        let bad = calibration.meaning(-0.5, Some(0.05));
        close(bad.percent, 25.0);
        close(bad.interval.0, 0.0);
        close(bad.interval.1, 50.0);
        assert_eq!(bad.is_out_of_domain, Some(false));
        let good = calibration.meaning(5.0, Some(0.2));
        close(good.percent, 100.0);
        close(good.interval.0, 90.0);
        assert_eq!(good.is_out_of_domain, Some(true));
        assert_eq!(calibration.meaning(5.0, None).is_out_of_domain, None);
        close(calibration.meaning(-5.0, None).percent, 0.0);
        let ScoreScale(marks) = calibration.scale();
        assert!(marks.is_sorted_by(|a, b| a.score <= b.score && a.percent <= b.percent));
        // Between two of its marks, a score means what it means at one of them, within the steps of the isotonic regression.
        for pair in marks.windows(2) {
            let between = calibration
                .meaning(f64::midpoint(pair[0].score, pair[1].score), None)
                .percent;
            let (low, high) = (pair[0].percent, pair[1].percent);
            assert!((low..=high).contains(&between), "{low} {between} {high}");
        }
    }

    /// Numbers from 0 to 1 that look random.
    fn random_numbers(seed: u64) -> impl FnMut() -> f64 {
        let mut random = SeededRandom::new(seed);
        move || random.below(1_000_000) as f64 / 1e6
    }

    /// Forty sources of five outputs, whose two features lie between 0 and 1.
    fn sample_table() -> FeatureTable {
        let mut number = random_numbers(3);
        let outputs = (0..200).map(|at| TableOutput {
            source: at / 5,
            rows: [at, at + 1],
            z: at as f32 / 25.0 - 4.0,
            is_degenerate: false,
        });
        FeatureTable {
            columns: 2,
            outputs: outputs.collect(),
            values: (0..400).map(|_| number() as f32).collect(),
            sources: (0..40).map(|source| source.to_string()).collect(),
            datasets: vec![0; 40],
        }
    }

    #[test]
    fn intervals_hold_95_percent_of_new_ratings() {
        let mut number = random_numbers(5);
        // Ratings rise with scores, not in a straight line, and are less certain where they are low.
        let mut judge = || {
            let score = 2.0 * number() - 1.0;
            let noise = (number() + number() - 1.0) * (1.2 - score);
            [score, score.powi(3) + noise]
        };
        let ratings: Vec<f64> = (0..200).map(|at| f64::from(at) / 25.0 - 4.0).collect();
        let judged: Vec<_> = (0..1_000).map(|_| judge()).collect();
        let calibration = ScoreCalibration::new(judged, ratings.clone(), None);
        let calibration = calibration.expect("enough outputs");
        assert!(calibration.is_sound());
        let all = 4_000;
        let within = (0..all).filter(|_| {
            let [score, z] = judge();
            let (low, high) = calibration.meaning(score, None).interval;
            // The ends of the scale hold what lies beyond them.
            let percent = calibration.percent(z);
            low <= percent && percent <= high
        });
        let share = within.count() as f64 / f64::from(all);
        assert!((0.94..0.98).contains(&share), "{share}");
        assert_eq!(
            ScoreCalibration::new(vec![[0.0, 0.0]; 99], ratings, None),
            None
        );
    }

    #[test]
    fn what_is_far_from_all_that_is_known_is_out_of_domain() {
        let table = sample_table();
        let domain = KnownFeatures::new(&table, &[[0.0, 1.0]; 2]);
        let distance = |row: [f32; 2]| domain.distance([&row[..]].into_iter());
        let known = domain.known_distance();
        assert!(distance([0.5, 0.5]) < known);
        assert!(distance([1.8, 0.5]) > known);
        assert!(
            distance([9.0, -9.0]) > known,
            "features are not clipped to the usual range"
        );
    }

    #[test]
    fn tails_are_those_of_new_values() {
        let values: Vec<f64> = (1..=199).map(f64::from).collect();
        assert_eq!(outer(&values, 0.025), 5.0);
        assert_eq!(-outer(&negated(&values), 0.025), 195.0);
        assert_eq!(outer(&values[..10], 0.025), 1.0);
    }
}
