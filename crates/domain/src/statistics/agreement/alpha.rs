//! Krippendorff's α from the values of the pairable units alone.
//!
//! With W = Σᵤ Σᵢ≠ⱼ δ²(xᵤᵢ, xᵤⱼ)/(nᵤ−1) within units, T = Σᵢ≠ⱼ δ²(xᵢ, xⱼ) over all N pairable
//! values, Dₒ = W/N and Dₑ = T/(N(N−1)), so α = 1 − (N−1)·W/T.

use super::{super::UndefinedReason, MeasurementLevel, counts::ValueCounts, sums::IntervalSums};

/// α of units that hold at least two values each.
pub(super) fn alpha<'a>(
    units: impl Iterator<Item = &'a [f64]> + Clone,
    level: MeasurementLevel,
) -> Result<f64, UndefinedReason> {
    match level {
        MeasurementLevel::Interval => {
            let origin = origin(units.clone());
            IntervalSums::from_units(units, origin).alpha(origin)
        }
        MeasurementLevel::Nominal | MeasurementLevel::Ordinal | MeasurementLevel::Ratio => {
            ValueCounts::new(&[units], level).alpha(&[0])
        }
    }
}

/// A value of the units to use as the origin of sums.
pub(super) fn origin<'a>(mut units: impl Iterator<Item = &'a [f64]>) -> f64 {
    units.next().map_or(0.0, |values| values[0])
}
