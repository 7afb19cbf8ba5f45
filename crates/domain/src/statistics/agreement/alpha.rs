//! Krippendorff's α from the values of the pairable units alone.
//!
//! With W = Σᵤ Σᵢ≠ⱼ δ²(xᵤᵢ, xᵤⱼ)/(nᵤ−1) within units, T = Σᵢ≠ⱼ δ²(xᵢ, xⱼ) over all N pairable
//! values, Dₒ = W/N and Dₑ = T/(N(N−1)), so α = 1 − (N−1)·W/T.

use super::{super::Undefined, Level, counts::Counted, sums::Sums};

/// α of units that hold at least two values each.
pub(super) fn alpha<'a>(
    units: impl Iterator<Item = &'a [f64]> + Clone,
    level: Level,
) -> Result<f64, Undefined> {
    match level {
        Level::Interval => {
            let mean = mean(units.clone());
            Sums::of_units(units, mean).alpha()
        }
        Level::Nominal | Level::Ordinal | Level::Ratio => Counted::new(&[units], level).alpha(&[0]),
    }
}

/// The mean of all values: the origin at which sums lose the least.
pub(super) fn mean<'a>(units: impl Iterator<Item = &'a [f64]>) -> f64 {
    let (mut n, mut sum) = (0, 0.0);
    for values in units {
        n += values.len();
        sum += values.iter().sum::<f64>();
    }
    sum / n as f64
}
