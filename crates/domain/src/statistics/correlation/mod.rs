//! Correlations of two scores of the same outputs.
//!
//! Every function takes pairs of numbers, one pair an output; outputs that lack one of the two are
//! left out by the caller, and a pair with an infinite value or `NaN` is
//! [`UndefinedReason::NotFinite`].

mod kendall;
mod pearson;

use serde::{Deserialize, Serialize};

pub use kendall::{KendallPMethod, TauVariant, kendall};
pub use pearson::{fisher_interval, pearson, spearman};

use super::{UndefinedReason, require_numbers};

/// A correlation with the probability of one at least as strong under independence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Correlation {
    /// From −1 to 1.
    pub coefficient: f64,
    /// The two-sided p-value, from 0 to 1.
    pub p: f64,
    /// The number of pairs.
    pub n: usize,
}

/// Splits pairs into both sides, if there are `needed` pairs and neither side is constant.
fn split_sides(
    pairs: &[(f64, f64)],
    needed: usize,
) -> Result<(Vec<f64>, Vec<f64>), UndefinedReason> {
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    require_numbers(needed, &x)?;
    require_numbers(needed, &y)?;
    if [&x, &y]
        .iter()
        .any(|side| side.iter().all(|value| *value == side[0]))
    {
        return Err(UndefinedReason::Constant);
    }
    Ok((x, y))
}
