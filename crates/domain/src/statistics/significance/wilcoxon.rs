//! Wilcoxon's signed-rank test.

use serde::{Deserialize, Serialize};

use super::super::{
    UndefinedReason,
    distribution::normal_two_sided,
    ranks::{average_ranks, tie_term},
    require_numbers,
};

/// The treatment of pairs without a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ZeroHandling {
    /// They are dropped first: Wilcoxon (1945). The default.
    #[default]
    Drop,
    /// They are ranked and their ranks dropped: Pratt (1959).
    Pratt,
    /// They are ranked and their ranks go half to each side.
    Split,
}

/// The method for the p-value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WilcoxonPMethod {
    /// Exact up to 50 pairs without ties and zeros, and up to 25 non-zero differences with some; else asymptotic.
    #[default]
    Auto,
    /// All 2ⁿ distributions of signs over the ranks, including tied ones; zeros have no sign. Time and memory
    /// grow with n³ and n².
    Exact,
    /// The normal approximation, its variance corrected for ties.
    Asymptotic,
}

/// The continuity correction of the normal approximation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum ContinuityCorrection {
    /// None.
    #[default]
    None,
    /// The statistic is moved by ½ towards its expectation.
    Continuity,
}

impl ContinuityCorrection {
    pub(super) fn points(self) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Continuity => 0.5,
        }
    }
}

/// The variant of the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct WilcoxonOptions {
    /// The treatment of zero differences.
    pub zeros: ZeroHandling,
    /// The method for the p-value.
    pub p: WilcoxonPMethod,
    /// The correction of the approximation.
    pub correction: ContinuityCorrection,
}

/// The signed-rank test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct WilcoxonTest {
    /// The sum of the ranks of positive differences.
    pub w_plus: f64,
    /// The sum of the ranks of negative differences.
    pub w_minus: f64,
    /// The number of non-zero differences.
    pub n: usize,
    /// The standardised statistic, below zero by convention; `None` if p is exact.
    pub z: Option<f64>,
    /// The two-sided p-value.
    pub p: f64,
    /// Matched-pairs rank-biserial correlation (W₊ − W₋)/(W₊ + W₋): 1 where a always wins.
    pub rank_biserial: f64,
}

impl WilcoxonTest {
    /// The smaller of the two rank sums, which tables list.
    #[must_use]
    pub fn w(&self) -> f64 {
        self.w_plus.min(self.w_minus)
    }
}

/// The largest number of non-zero differences for which p is exact by default where there are ties or zeros. Ties leave few
/// different sums of ranks, so that the approximation can be far off in small samples: four of four differences in one
/// direction and of one size have p = 2/16, and .046 by the approximation.
const MOST_EXACT_TIES: usize = 25;

/// Wilcoxon's signed-rank test of pairs (a, b); equal absolute differences share average ranks.
///
/// # Errors
/// [`UndefinedReason::TooFew`] without pairs, [`UndefinedReason::NoDifference`] where all are equal.
pub fn wilcoxon(
    pairs: &[(f64, f64)],
    options: WilcoxonOptions,
) -> Result<WilcoxonTest, UndefinedReason> {
    let mut differences: Vec<f64> = pairs.iter().map(|(a, b)| a - b).collect();
    require_numbers(1, &differences)?;
    let n = differences.iter().filter(|d| **d != 0.0).count();
    if n == 0 {
        return Err(UndefinedReason::NoDifference);
    }

    if options.zeros == ZeroHandling::Drop {
        differences.retain(|d| *d != 0.0);
    }
    let mut sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
    let ranks = average_ranks(&sizes);
    let half_of_zeros = match options.zeros {
        ZeroHandling::Split => rank_sum(&differences, &ranks, |d| d == 0.0) / 2.0,
        ZeroHandling::Drop | ZeroHandling::Pratt => 0.0,
    };
    let w_plus = rank_sum(&differences, &ranks, |d| d > 0.0) + half_of_zeros;
    let w_minus = rank_sum(&differences, &ranks, |d| d < 0.0) + half_of_zeros;

    let exact = match options.p {
        WilcoxonPMethod::Exact => true,
        WilcoxonPMethod::Auto => {
            let plain = n == pairs.len() && tie_term(&mut sizes) == 0.0;
            n <= if plain { 50 } else { MOST_EXACT_TIES }
        }
        WilcoxonPMethod::Asymptotic => false,
    };

    let (z, p) = if exact {
        let signed = differences
            .iter()
            .zip(&ranks)
            .filter(|(d, _)| **d != 0.0)
            .map(|(_, r)| *r);
        (None, exact_p(signed, w_plus.min(w_minus) - half_of_zeros))
    } else {
        let z = z_statistic(sizes, w_plus, options);
        (Some(z), normal_two_sided(z))
    };

    let rank_biserial = (w_plus - w_minus) / (w_plus + w_minus);
    Ok(WilcoxonTest {
        w_plus,
        w_minus,
        n,
        z,
        p,
        rank_biserial,
    })
}

/// The sum of the ranks of the differences for which `keep` holds.
fn rank_sum(differences: &[f64], ranks: &[f64], keep: fn(f64) -> bool) -> f64 {
    differences
        .iter()
        .zip(ranks)
        .filter(|(d, _)| keep(**d))
        .map(|(_, r)| r)
        .sum::<f64>()
}

/// The distance of W₊ from its expectation in standard deviations, negated. Pratt's zeros take
/// their ranks out of both moments (Cureton 1967).
fn z_statistic(mut sizes: Vec<f64>, w_plus: f64, options: WilcoxonOptions) -> f64 {
    let (mut mean, mut variance) = rank_sum_moments(sizes.len() as f64);
    if options.zeros == ZeroHandling::Pratt {
        let ranked = sizes.len();
        sizes.retain(|size| *size != 0.0);
        let zeros = (ranked - sizes.len()) as f64;
        let (mean_of_zeros, variance_of_zeros) = rank_sum_moments(zeros);
        mean -= mean_of_zeros;
        variance -= variance_of_zeros;
    }
    variance -= tie_term(&mut sizes) / 48.0;

    -((w_plus - mean).abs() - options.correction.points()).max(0.0) / variance.sqrt()
}

/// The mean and the variance of W₊ of n ranks without ties.
fn rank_sum_moments(n: f64) -> (f64, f64) {
    let mean = n * (n + 1.0) / 4.0;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0;
    (mean, variance)
}

/// The two-sided probability that the ranks with a positive sign add up to `w` or less, or to at
/// least the total minus `w`, if every sign is a fair coin.
fn exact_p(ranks: impl Iterator<Item = f64>, w: f64) -> f64 {
    // Average ranks are whole numbers when doubled.
    let mut probability = vec![0.0; (2.0 * w) as usize + 1];
    probability[0] = 1.0;

    for rank in ranks {
        let step = (2.0 * rank) as usize;
        for sum in (0..probability.len()).rev() {
            let with = if sum >= step {
                probability[sum - step]
            } else {
                0.0
            };
            probability[sum] = (probability[sum] + with) / 2.0;
        }
    }
    (2.0 * probability.iter().sum::<f64>()).min(1.0)
}
