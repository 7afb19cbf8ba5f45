//! Mean ratings of systems that a metric makes more certain: prediction-powered inference.
//!
//! People rated some of a system's outputs; a metric scored all of them. The mean of the metric's scores is precise but
//! wrong by the metric's bias. The rated outputs show that bias, so that ratings correct it, whatever the metric is like:
//!
//! mean = λ·(mean score of unrated outputs) + mean over rated outputs of (rating − λ·score)
//!
//! A useless metric gets a weight λ near 0, which leaves the plain mean. After Angelopoulos, Duchi and Zrnic, *PPI++:
//! Efficient prediction-powered inference* (2023). Their weight is chosen on the ratings that it is applied to; here it
//! comes from other sources (cross-fitting), so that the mean has no bias of its own where few sources are rated.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    UndefinedReason,
    bootstrap::{BootstrapInterval, ResamplingOptions, bootstrap},
    describe::{SampleSummary, describe, mean},
    distribution::t_within,
    require_numbers,
};

/// The number of parts of the sources; each part takes its weight from the other parts.
const FOLDS: usize = 5;

/// The outputs of a system that a metric scored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PredictedOutputs {
    /// Those that people rated.
    pub rated: Vec<RatedPrediction>,
    /// The metric's scores of the others.
    pub unrated: Vec<f64>,
}

/// A rated output with a metric's score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatedPrediction {
    /// A number for its source, the same in all systems.
    pub source: usize,
    /// The mean of its ratings, in points or standard deviations.
    pub rating: f64,
    /// The metric's score, in any unit.
    pub score: f64,
}

/// A system's mean rating, with and without the help of a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AssistedMean {
    /// The mean with the metric's help, in the unit of ratings.
    pub mean: f64,
    /// The standard error of `mean`.
    pub standard_error: f64,
    /// Half the width of its 95 % interval: t(.975, n−1) standard errors, with n rated outputs.
    pub half_width: f64,
    /// The mean weight λ of the metric's scores, in the unit of ratings divided by that of scores.
    pub weight: f64,
    /// The number of outputs without ratings.
    pub unrated: usize,
    /// The ratings alone.
    pub plain: SampleSummary,
}

impl AssistedMean {
    /// The 95 % confidence interval of the mean.
    #[must_use]
    pub fn interval(&self) -> (f64, f64) {
        (self.mean - self.half_width, self.mean + self.half_width)
    }

    /// The number of rated outputs whose plain mean would be as certain; `None` where no rating differs from another.
    #[must_use]
    pub fn equivalent_outputs(&self) -> Option<f64> {
        let variance = self.standard_error.powi(2);
        (variance > 0.0).then(|| self.plain.sd.powi(2) / variance)
    }
}

/// The mean of each system, in the order of `systems`. All systems share one weight of the metric, from the covariance of
/// scores and ratings within systems.
///
/// # Errors
/// For a system: [`UndefinedReason::TooFew`] below two rated outputs, [`UndefinedReason::NotFinite`].
#[must_use]
pub fn assisted_means(systems: &[PredictedOutputs]) -> Vec<Result<AssistedMean, UndefinedReason>> {
    let folds = folds(systems);
    let weights: Vec<f64> = (0..FOLDS)
        .map(|left_out| weight(systems, |rated| folds[&rated.source] != left_out))
        .collect();
    systems
        .iter()
        .map(|system| assisted_mean(system, |rated| weights[folds[&rated.source]]))
        .collect()
}

/// The part of each rated source.
fn folds(systems: &[PredictedOutputs]) -> BTreeMap<usize, usize> {
    let outputs = systems.iter().flat_map(|system| &system.rated);
    let sources: BTreeSet<usize> = outputs.map(|output| output.source).collect();
    let folds = sources.into_iter().zip((0..FOLDS).cycle());
    folds.collect()
}

/// The weight that makes the variances of all systems' means smallest in sum, from the rated outputs that `is_used`
/// accepts: Σ cov/n ÷ Σ var·(1/n + 1/N), with n rated and N other outputs of a system. 0 where scores do not vary.
fn weight(systems: &[PredictedOutputs], is_used: impl Fn(&RatedPrediction) -> bool) -> f64 {
    let (mut gain, mut cost) = (0.0, 0.0);
    for system in systems {
        let used: Vec<_> = system.rated.iter().filter(|rated| is_used(rated)).collect();
        if used.len() < 2 || system.unrated.is_empty() {
            continue;
        }

        let ratings: Vec<f64> = used.iter().map(|rated| rated.rating).collect();
        let scores: Vec<f64> = used.iter().map(|rated| rated.score).collect();
        let (n, unrated) = (system.rated.len() as f64, system.unrated.len() as f64);
        gain += covariance(&ratings, &scores) / n;
        cost += covariance(&scores, &scores) * (1.0 / n + 1.0 / unrated);
    }
    if cost > 0.0 { gain / cost } else { 0.0 }
}

/// A system's mean, where each rated output has the weight that `weight` gives it.
fn assisted_mean(
    system: &PredictedOutputs,
    weight: impl Fn(&RatedPrediction) -> f64,
) -> Result<AssistedMean, UndefinedReason> {
    let PredictedOutputs { rated, unrated } = system;
    let ratings: Vec<f64> = rated.iter().map(|rated| rated.rating).collect();
    let plain = describe(&ratings)?;
    let scores = rated.iter().map(|rated| rated.score);
    let scores: Vec<f64> = scores.chain(unrated.iter().copied()).collect();
    require_numbers(2, &scores)?;

    if unrated.is_empty() {
        return Ok(AssistedMean {
            mean: plain.mean,
            standard_error: plain.standard_error,
            half_width: plain.half_width,
            weight: 0.0,
            unrated: 0,
            plain,
        });
    }

    let n = ratings.len() as f64;
    // Scores count from their mean, so that weights that differ between sources add no variance of their own.
    let centre = mean(&scores);
    let residuals: Vec<f64> = rated
        .iter()
        .map(|rated| rated.rating - weight(rated) * (rated.score - centre))
        .collect();
    let weight = rated.iter().map(weight).sum::<f64>() / n;
    let predicted = weight * (mean(unrated) - centre);

    let variance_of_residuals = covariance(&residuals, &residuals) / n;
    let variance_of_predicted =
        weight.powi(2) * covariance(&scores, &scores) / unrated.len() as f64;
    let standard_error = (variance_of_residuals + variance_of_predicted).sqrt();

    Ok(AssistedMean {
        mean: mean(&residuals) + predicted,
        standard_error,
        half_width: t_within(0.95, n - 1.0) * standard_error,
        weight,
        unrated: unrated.len(),
        plain,
    })
}

/// The sample covariance of at least two pairs.
fn covariance(a: &[f64], b: &[f64]) -> f64 {
    let (mean_a, mean_b) = (mean(a), mean(b));
    let products = a.iter().zip(b).map(|(a, b)| (a - mean_a) * (b - mean_b));
    products.sum::<f64>() / (a.len() as f64 - 1.0)
}

/// The precision of mean ratings, with and without a metric's help, by the number of rated outputs of a system.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatingCosts {
    /// Pearson's r of ratings and scores within systems, from −1 to 1.
    pub correlation: f64,
    /// The standard deviation of ratings within systems, in their unit.
    pub deviation: f64,
    /// The mean number of outputs of a system, rated or not.
    pub outputs: f64,
}

impl RatingCosts {
    /// The costs of a study whose outputs are like these.
    ///
    /// # Errors
    /// [`UndefinedReason::TooFew`] where no system has two rated outputs; [`UndefinedReason::Constant`] where
    /// ratings or scores do not vary.
    pub fn compute(systems: &[PredictedOutputs]) -> Result<Self, UndefinedReason> {
        let by_source = rated_by_source(systems);
        let sums = WithinSystems::add_up(systems.len(), by_source.iter().flatten());
        let outputs = systems
            .iter()
            .map(|system| system.rated.len() + system.unrated.len());
        Ok(Self {
            correlation: sums.correlation()?,
            deviation: (sums.of_ratings / sums.freedom).sqrt(),
            outputs: outputs.sum::<usize>() as f64 / systems.len() as f64,
        })
    }

    /// The interval of `correlation`, by resampling sources.
    ///
    /// # Errors
    /// As [`Self::compute`], and below two rated sources.
    pub fn correlation_interval(
        systems: &[PredictedOutputs],
        resampling: ResamplingOptions,
    ) -> Result<BootstrapInterval, UndefinedReason> {
        let by_source = rated_by_source(systems);
        bootstrap(by_source.len(), resampling, |drawn| {
            let outputs = drawn.iter().flat_map(|source| &by_source[*source]);
            WithinSystems::add_up(systems.len(), outputs).correlation()
        })
    }

    /// Half the width of the 95 % interval of a system's mean with `rated` rated outputs (two, where it is fewer), in the
    /// unit of ratings: of the ratings alone, and with the metric's help.
    #[must_use]
    pub fn half_widths(&self, rated: usize) -> (f64, f64) {
        let n = rated.max(2) as f64;
        let plain = t_within(0.95, n - 1.0) * self.deviation / n.sqrt();
        (plain, plain * self.remaining_variance(n).sqrt())
    }

    /// The share of rated outputs that the metric's help saves for the same certainty, from 0 to 1, where `rated` outputs
    /// of a system are rated with it.
    #[must_use]
    pub fn saved(&self, rated: usize) -> f64 {
        1.0 - self.remaining_variance(rated as f64)
    }

    /// The variance with the metric's help ÷ that without: 1 − r²·N/(n + N), with N other outputs.
    fn remaining_variance(&self, rated: f64) -> f64 {
        let unrated = (self.outputs - rated).max(0.0);
        1.0 - self.correlation.powi(2) * unrated / (rated + unrated)
    }
}

/// A rated output: the place of its system, its rating and its score, both as differences from the system's mean.
type CentredOutput = (usize, f64, f64);

/// The rated outputs of each source.
fn rated_by_source(systems: &[PredictedOutputs]) -> Vec<Vec<CentredOutput>> {
    let mut by_source = BTreeMap::<usize, Vec<CentredOutput>>::new();
    for (place, system) in systems.iter().enumerate() {
        let ratings: Vec<f64> = system.rated.iter().map(|rated| rated.rating).collect();
        let scores: Vec<f64> = system.rated.iter().map(|rated| rated.score).collect();
        let (mean_rating, mean_score) = (mean(&ratings), mean(&scores));

        for rated in &system.rated {
            by_source.entry(rated.source).or_default().push((
                place,
                rated.rating - mean_rating,
                rated.score - mean_score,
            ));
        }
    }
    by_source.into_values().collect()
}

/// Sums of squares and products within systems, and their degrees of freedom.
#[derive(Debug, Clone, Copy, Default)]
struct WithinSystems {
    freedom: f64,
    of_ratings: f64,
    of_scores: f64,
    of_both: f64,
}

impl WithinSystems {
    fn add_up<'a>(systems: usize, rated: impl Iterator<Item = &'a CentredOutput>) -> Self {
        // A resample has other means than the whole, so sums are taken again by system: count, Σy, Σf.
        let mut by_system = vec![(0.0, 0.0, 0.0); systems];
        let mut sums = Self::default();
        for &(system, rating, score) in rated {
            let (count, ratings, scores) = &mut by_system[system];
            *count += 1.0;
            *ratings += rating;
            *scores += score;
            sums.of_ratings += rating * rating;
            sums.of_scores += score * score;
            sums.of_both += rating * score;
        }

        for (count, ratings, scores) in by_system {
            if count > 0.0 {
                sums.freedom += count - 1.0;
                sums.of_ratings -= ratings * ratings / count;
                sums.of_scores -= scores * scores / count;
                sums.of_both -= ratings * scores / count;
            }
        }
        sums
    }

    fn correlation(&self) -> Result<f64, UndefinedReason> {
        if self.freedom < 1.0 {
            return Err(UndefinedReason::TooFew {
                found: 1,
                needed: 2,
            });
        }

        if self.of_ratings > 0.0 && self.of_scores > 0.0 {
            let product = self.of_ratings * self.of_scores;
            Ok((self.of_both / product.sqrt()).clamp(-1.0, 1.0))
        } else {
            Err(UndefinedReason::Constant)
        }
    }
}

#[cfg(test)]
mod tests {
    use chacha20::{
        ChaCha8Rng,
        rand_core::{Rng, SeedableRng},
    };
    use testdata::golden;

    use super::*;

    fn numbers(value: &serde_json::Value) -> Vec<f64> {
        let values = value.as_array().unwrap().iter();
        values.map(|value| value.as_f64().unwrap()).collect()
    }

    #[test]
    fn means_and_errors_of_ppi_python() {
        for (name, case) in golden("prediction_powered.json")["cases"]
            .as_object()
            .unwrap()
        {
            let rated = |row: &serde_json::Value| {
                let row = numbers(row);
                RatedPrediction {
                    source: row[0] as usize,
                    rating: row[1],
                    score: row[2],
                }
            };
            let system = PredictedOutputs {
                rated: case["rated"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(rated)
                    .collect(),
                unrated: numbers(&case["unrated"]),
            };
            for (weight, expected) in case["expected"].as_object().unwrap() {
                let weight: f64 = weight.parse().unwrap();
                let found = assisted_mean(&system, |_| weight).unwrap();
                let mean = expected["mean"].as_f64().unwrap();
                assert!((found.mean - mean).abs() < 1e-9, "{name}, weight {weight}");
                // That library divides by n instead of n − 1, and takes the spread of scores from unrated outputs alone.
                let ratio = found.standard_error / expected["standard_error"].as_f64().unwrap();
                let is_close = (0.95..1.1).contains(&ratio);
                assert!(
                    is_close || system.unrated.len() < 10,
                    "{name}, weight {weight}: {ratio}"
                );
            }
        }
    }

    const OUTPUTS: usize = 120;
    const TRUE_MEANS: [f64; 3] = [0.0, 1.0, 2.0];

    /// A study whose systems have `OUTPUTS` outputs, of which `rated` are rated. The metric has another unit, is wrong about
    /// each system, and has noise of its own.
    fn simulated_study(seed: u64, rated: usize, noise_of_metric: f64) -> Vec<PredictedOutputs> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        // The sum of twelve uniform numbers is close to normal.
        let mut normal = || {
            let uniform = (0..12).map(|_| f64::from(random.next_u32()) / f64::from(u32::MAX));
            uniform.sum::<f64>() - 6.0
        };
        let mut system = |mean: f64| {
            let mut outputs = PredictedOutputs {
                rated: Vec::new(),
                unrated: Vec::new(),
            };
            for source in 0..OUTPUTS {
                let quality = normal();
                let rating = mean + quality;
                let score = 50.0 - 3.0 * mean + 10.0 * (quality + noise_of_metric * normal());
                if source < rated {
                    outputs.rated.push(RatedPrediction {
                        source,
                        rating,
                        score,
                    });
                } else {
                    outputs.unrated.push(score);
                }
            }
            outputs
        };
        TRUE_MEANS.map(&mut system).into()
    }

    /// The share of intervals that hold the true mean, and the ratio of their mean variance to that of plain ones.
    fn coverage(rated: usize, noise_of_metric: f64) -> (f64, f64) {
        let (mut covered, mut variances, mut plain_variances) = (0, Vec::new(), Vec::new());
        for seed in 0..1_000 {
            let means = assisted_means(&simulated_study(seed, rated, noise_of_metric));
            for (found, true_mean) in means.into_iter().zip(TRUE_MEANS) {
                let found = found.unwrap();
                let (low, high) = found.interval();
                covered += usize::from(low <= true_mean && true_mean <= high);
                variances.push(found.standard_error.powi(2));
                plain_variances.push(found.plain.standard_error.powi(2));
            }
        }
        let share = covered as f64 / variances.len() as f64;
        (share, mean(&variances) / mean(&plain_variances))
    }

    #[test]
    fn intervals_hold_the_true_mean_as_often_as_they_say() {
        for (rated, noise_of_metric) in [(10, 0.5), (30, 0.5), (30, 2.0), (60, 1.0), (20, 50.0)] {
            let (covered, ratio) = coverage(rated, noise_of_metric);
            let setting = format!("{rated} rated, noise {noise_of_metric}");
            assert!((0.935..=0.97).contains(&covered), "{setting}: {covered}");
            // r² of scores and ratings is 1/(1 + noise²).
            let r_squared = 1.0 / (1.0 + noise_of_metric.powi(2));
            let expected = 1.0 - r_squared * (1.0 - rated as f64 / OUTPUTS as f64);
            assert!(
                (ratio / expected - 1.0).abs() < 0.06,
                "{setting}: {ratio}, not {expected}"
            );
        }
    }

    #[test]
    fn costs_follow_from_the_correlation() {
        let costs = RatingCosts::compute(&simulated_study(1, 100, 1.0)).unwrap();
        assert!((costs.correlation - 0.5_f64.sqrt()).abs() < 0.08);
        assert!((costs.deviation - 1.0).abs() < 0.1);
        let study = simulated_study(1, 100, 1.0);
        let interval = RatingCosts::correlation_interval(&study, ResamplingOptions::default());
        let interval = interval.unwrap();
        assert!((interval.low..interval.high).contains(&costs.correlation));
        // Fisher's interval of r = .7 from 297 degrees of freedom is .64 to .76.
        assert!((0.08..0.18).contains(&(interval.high - interval.low)));
        assert!((costs.saved(30) - 0.5 * 90.0 / 120.0).abs() < 0.1);
        let (plain, assisted) = costs.half_widths(30);
        assert!(assisted < plain && assisted > 0.7 * plain);
        assert_eq!(costs.saved(120), 0.0);
    }

    #[test]
    fn without_unrated_outputs_the_ratings_stand_alone() {
        let mut study = simulated_study(2, 20, 0.5);
        study[0].unrated.clear();
        let found = assisted_means(&study);
        let first = found[0].unwrap();
        assert_eq!((first.mean, first.weight), (first.plain.mean, 0.0));
        assert_eq!(first.half_width, first.plain.half_width);
        assert!(found[1].unwrap().weight > 0.0);
    }

    #[test]
    fn too_few_ratings_have_no_mean() {
        let study = simulated_study(3, 1, 0.5);
        let too_few = UndefinedReason::TooFew {
            found: 1,
            needed: 2,
        };
        assert_eq!(assisted_means(&study), [Err(too_few); 3]);
        assert!(RatingCosts::compute(&study).is_err());
    }

    #[test]
    fn scores_that_do_not_vary_leave_the_plain_mean() {
        let mut study = simulated_study(4, 20, 0.5);
        for system in &mut study {
            system.unrated.fill(50.0);
            system.rated.iter_mut().for_each(|rated| rated.score = 50.0);
        }
        for found in assisted_means(&study) {
            let found = found.unwrap();
            assert!((found.mean - found.plain.mean).abs() < 1e-12);
            assert!((found.half_width - found.plain.half_width).abs() < 1e-12);
        }
        assert_eq!(RatingCosts::compute(&study), Err(UndefinedReason::Constant));
    }
}
