//! The Mann–Whitney U test.

use serde::{Deserialize, Serialize};

use super::{
    super::{
        UndefinedReason,
        distribution::normal_two_sided,
        ranks::{average_ranks, tie_term},
        require, require_numbers,
    },
    ContinuityCorrection,
};

/// The method for the p-value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MannWhitneyPMethod {
    /// Exact up to 50 values in both samples together, ties among them or not; else asymptotic with continuity
    /// correction.
    #[default]
    Auto,
    /// The normal approximation, its variance corrected for ties.
    Asymptotic(ContinuityCorrection),
}

/// The most values in both samples together with an exact p by default.
const MOST_EXACT: usize = 50;

/// The Mann–Whitney U test of two independent samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct MannWhitneyTest {
    /// The number of pairs of values, one of each sample, that a wins; ties count a half.
    pub u_a: f64,
    /// The two-sided p-value: of a U at least as far from its expectation.
    pub p: f64,
    /// Rank-biserial correlation 2U/(nₐn_b) − 1: 1 where a always wins.
    pub rank_biserial: f64,
}

/// Tests whether values of `a` tend to be larger or smaller than those of `b`.
///
/// # Errors
/// [`UndefinedReason::TooFew`] where a sample is empty, [`UndefinedReason::Constant`] where all values are
/// equal.
pub fn mann_whitney(
    a: &[f64],
    b: &[f64],
    method: MannWhitneyPMethod,
) -> Result<MannWhitneyTest, UndefinedReason> {
    require(1, a.len().min(b.len()))?;
    let mut all = [a, b].concat();
    require_numbers(2, &all)?;

    let ranks = average_ranks(&all);
    let ranks_a: f64 = ranks[..a.len()].iter().sum();
    let (n_a, n_b, n) = (a.len() as f64, b.len() as f64, all.len() as f64);
    let u_a = ranks_a - n_a * (n_a + 1.0) / 2.0;
    let variance = n_a * n_b / 12.0 * (n + 1.0 - tie_term(&mut all) / (n * (n - 1.0)));
    if variance <= 0.0 {
        return Err(UndefinedReason::Constant);
    }

    let correction = match method {
        MannWhitneyPMethod::Auto => ContinuityCorrection::Continuity,
        MannWhitneyPMethod::Asymptotic(correction) => correction,
    };
    let p = if method == MannWhitneyPMethod::Auto && all.len() <= MOST_EXACT {
        exact_p(&ranks, a.len())
    } else {
        let distance = ((u_a - n_a * n_b / 2.0).abs() - correction.points()).max(0.0);
        normal_two_sided(distance / variance.sqrt())
    };

    Ok(MannWhitneyTest {
        u_a,
        p,
        rank_biserial: 2.0 * u_a / (n_a * n_b) - 1.0,
    })
}

/// The share of all choices of as many of the ranks as a has whose sum is at least as far from its expectation as that of
/// a, whose ranks come first.
fn exact_p(ranks: &[f64], size_a: usize) -> f64 {
    // Average ranks are whole numbers when doubled.
    let ranks: Vec<usize> = ranks.iter().map(|rank| (2.0 * rank) as usize).collect();
    let total: usize = ranks.iter().sum();

    // choices[k][sum] is the number of choices of k ranks with this sum: at most 50 over 25, so that it is exact.
    let mut choices = vec![vec![0.0; total + 1]; size_a + 1];
    choices[0][0] = 1.0;
    for rank in &ranks {
        for k in (1..=size_a).rev() {
            let (fewer, own) = choices.split_at_mut(k);
            for (sum, with) in own[0][*rank..].iter_mut().zip(&fewer[k - 1]) {
                *sum += with;
            }
        }
    }

    let expected = total as f64 * size_a as f64 / ranks.len() as f64;
    let distance = |sum: usize| (sum as f64 - expected).abs();
    // The rounding error of the expectation.
    let observed = distance(ranks[..size_a].iter().sum()) - 1e-9;
    let sums = choices[size_a].iter().enumerate();
    let as_far = sums.filter(|(sum, _)| distance(*sum) >= observed);
    as_far.map(|(_, number)| number).sum::<f64>() / choices[size_a].iter().sum::<f64>()
}
