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

/// The Mann–Whitney U test of two independent samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct MannWhitneyTest {
    /// The number of pairs of values, one of each sample, that a wins; ties count a half.
    pub u_a: f64,
    /// The two-sided p-value of the normal approximation, its variance corrected for ties.
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
    correction: ContinuityCorrection,
) -> Result<MannWhitneyTest, UndefinedReason> {
    require(1, a.len().min(b.len()))?;
    let mut all = [a, b].concat();
    require_numbers(2, &all)?;
    let ranks_a: f64 = average_ranks(&all)[..a.len()].iter().sum();
    let (n_a, n_b, n) = (a.len() as f64, b.len() as f64, all.len() as f64);
    let u_a = ranks_a - n_a * (n_a + 1.0) / 2.0;
    let variance = n_a * n_b / 12.0 * (n + 1.0 - tie_term(&mut all) / (n * (n - 1.0)));
    if variance <= 0.0 {
        return Err(UndefinedReason::Constant);
    }
    let correction = correction.points();
    let distance = ((u_a - n_a * n_b / 2.0).abs() - correction).max(0.0);
    let p = normal_two_sided(distance / variance.sqrt());
    Ok(MannWhitneyTest {
        u_a,
        p,
        rank_biserial: 2.0 * u_a / (n_a * n_b) - 1.0,
    })
}
