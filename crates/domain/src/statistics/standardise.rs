//! Standard scores: ratings relative to each rater's own mean and spread.

use serde::{Deserialize, Serialize};

use super::{RatingTable, UndefinedReason, mean};

/// The standard deviation by which a z-score divides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviationKind {
    /// √(Σ(x−m)²/n): SimpEval's, and the default.
    #[default]
    Population,
    /// √(Σ(x−m)²/(n−1)): as the WMT shared tasks do.
    Sample,
}

/// The centre and spread of one rater's ratings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RaterScale {
    /// The mean, in points of the raw scale.
    pub mean: f64,
    /// The standard deviation, in points of the raw scale; above zero.
    pub sd: f64,
}

impl RaterScale {
    /// The mean and standard deviation of `values`.
    ///
    /// # Errors
    /// [`UndefinedReason::TooFew`] below two values, [`UndefinedReason::Constant`] where all are the same.
    pub fn from_values(values: &[f64], deviation: DeviationKind) -> Result<Self, UndefinedReason> {
        if values.len() < 2 {
            return Err(UndefinedReason::TooFew {
                found: values.len(),
                needed: 2,
            });
        }

        let n = values.len() as f64;
        let mean = mean(values);
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        let divisor = match deviation {
            DeviationKind::Population => n,
            DeviationKind::Sample => n - 1.0,
        };
        let sd = (squares / divisor).sqrt();

        // Rounding gives a constant 0.1 a tiny spread, so equality decides.
        if sd == 0.0 || values.iter().all(|x| *x == values[0]) {
            return Err(UndefinedReason::Constant);
        }
        Ok(Self { mean, sd })
    }

    /// The standard score of a raw value, in standard deviations above the mean.
    #[must_use]
    pub fn z(self, value: f64) -> f64 {
        (value - self.mean) / self.sd
    }
}

/// A table of z-scores with the scales behind them.
#[derive(Debug, Clone, PartialEq)]
pub struct StandardisedRatings<R, U> {
    /// The z-scores, with the same raters by index. Ratings of a rater without a scale are left
    /// out.
    pub z: RatingTable<R, U>,
    /// Per rater, by index: the scale, or why there is none (one rating, or all the same).
    pub scales: Vec<Result<RaterScale, UndefinedReason>>,
}

/// Turns every rating into (x − mean)/sd of its *rater* over all ratings of that rater in the
/// table (paper 000, section 6). So pass the whole study and select parts afterwards; in a study
/// with several dimensions, pass one dimension at a time.
#[must_use]
pub fn standardise<R: Clone, U: Clone>(
    ratings: &RatingTable<R, U>,
    deviation: DeviationKind,
) -> StandardisedRatings<R, U> {
    let mut by_rater = vec![Vec::new(); ratings.raters().len()];
    for (rater, _, value) in ratings.entries() {
        by_rater[rater].push(value);
    }

    let scales: Vec<_> = by_rater
        .iter()
        .map(|values| RaterScale::from_values(values, deviation))
        .collect();
    let z = ratings
        .filter_map(|rater, _, value| scales[rater].ok().map(|scale| scale.z(value)))
        .expect("a standard score is at most √n in size");
    StandardisedRatings { z, scales }
}
