//! The sign test.

use serde::{Deserialize, Serialize};
use statrs::function::beta::beta_reg;

use super::super::{UndefinedReason, systems::WinTieLoss};

/// The exact sign test of paired observations of which only the direction is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SignTest {
    /// The number of pairs that are not tied.
    pub decided: usize,
    /// The two-sided p-value: twice the chance that the rarer direction comes up at most as often as it did,
    /// if both are equally likely; at most 1.
    pub p: f64,
}

/// Tests whether wins and losses are equally likely, ties dropped.
///
/// # Errors
/// [`UndefinedReason::NoDifference`] where all are ties.
pub fn sign_test(counts: WinTieLoss) -> Result<SignTest, UndefinedReason> {
    let WinTieLoss { wins, losses, .. } = counts;
    let (rarer, decided) = (wins.min(losses), wins + losses);
    if decided == 0 {
        return Err(UndefinedReason::NoDifference);
    }

    // P(X ≤ k) of n throws of a coin is the regularised incomplete beta function I½(n − k, k + 1).
    let tail = beta_reg((decided - rarer) as f64, rarer as f64 + 1.0, 0.5);
    Ok(SignTest {
        decided,
        p: (2.0 * tail).min(1.0),
    })
}
