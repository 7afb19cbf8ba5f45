//! Krippendorff's α from the values of the pairable units alone.
//!
//! With W = Σᵤ Σᵢ≠ⱼ δ²(xᵤᵢ, xᵤⱼ)/(nᵤ−1) within units, T = Σᵢ≠ⱼ δ²(xᵢ, xⱼ) over all N pairable
//! values, Dₒ = W/N and Dₑ = T/(N(N−1)), so α = 1 − (N−1)·W/T.

use super::{
    super::{Undefined, ranks::average_ranks},
    Level,
};

/// α of units that hold at least two values each.
pub(super) fn alpha(units: &[&[f64]], level: Level) -> Result<f64, Undefined> {
    if units.is_empty() {
        return Err(Undefined::NoPairableUnit);
    }
    match level {
        Level::Nominal => nominal(units),
        Level::Ordinal => ordinal(units),
        Level::Interval => interval(units),
        Level::Ratio => ratio(units),
    }
}

/// With δ = x − y both sums have a closed form: within a unit Σᵢ≠ⱼ(xᵢ−xⱼ)² = 2(nΣd² − (Σd)²) for
/// deviations d from any origin (here the unit's first value, so that equal values give exactly
/// zero), and T = 2N·Σ(x−m)² around the mean m of all.
fn interval(units: &[&[f64]]) -> Result<f64, Undefined> {
    let count: usize = units.iter().map(|values| values.len()).sum();
    let sum: f64 = units.iter().flat_map(|values| *values).sum();
    let n = count as f64;
    let mean = sum / n;
    let overall_first = units[0][0];
    let (mut within, mut squares, mut constant) = (0.0, 0.0, true);
    for values in units {
        let first = values[0];
        let (mut s, mut q) = (0.0, 0.0);
        for x in *values {
            let d = x - first;
            s += d;
            q += d * d;
        }
        let k = values.len() as f64;
        within += (k * q - s * s) / (k - 1.0);
        let shift = first - mean;
        squares += q + shift * (2.0 * s + k * shift);
        constant &= first == overall_first && q == 0.0;
    }
    if constant || squares <= 0.0 {
        return Err(Undefined::Constant);
    }
    Ok(1.0 - (n - 1.0) * within / (n * squares))
}

/// The sum of the ratings between two values, half of each end included, is the difference of
/// their average ranks.
fn ordinal(units: &[&[f64]]) -> Result<f64, Undefined> {
    let ranks = average_ranks(&units.concat());
    let mut rest = ranks.as_slice();
    let ranked: Vec<&[f64]> = units
        .iter()
        .map(|values| {
            let (unit, tail) = rest.split_at(values.len());
            rest = tail;
            unit
        })
        .collect();
    interval(&ranked)
}

/// With δ² = 0 or 1 a sum over ordered pairs of n values is n² − Σ(count of each value)².
fn nominal(units: &[&[f64]]) -> Result<f64, Undefined> {
    let unequal_pairs = |runs: &[(f64, f64)]| {
        let n: f64 = runs.iter().map(|(_, count)| count).sum();
        n * n - runs.iter().map(|(_, count)| count * count).sum::<f64>()
    };
    let within: f64 = units
        .iter()
        .map(|values| unequal_pairs(&counts(values)) / (values.len() as f64 - 1.0))
        .sum();
    let all = units.concat();
    from_sums(all.len(), within, unequal_pairs(&counts(&all)))
}

/// With δ² = ((x−y)/(x+y))² there is no closed form: pairs of distinct values are gone through,
/// each with its counts.
fn ratio(units: &[&[f64]]) -> Result<f64, Undefined> {
    let all = units.concat();
    if all.iter().any(|x| *x < 0.0) {
        return Err(Undefined::BelowZero);
    }
    let within = units
        .iter()
        .map(|values| ratio_pairs(&counts(values)) / (values.len() as f64 - 1.0))
        .sum();
    from_sums(all.len(), within, ratio_pairs(&counts(&all)))
}

fn ratio_pairs(runs: &[(f64, f64)]) -> f64 {
    let mut sum = 0.0;
    for (i, (x, n_x)) in runs.iter().enumerate() {
        // The values ascend, so y > x ≥ 0 and the divisor is above zero.
        for (y, n_y) in &runs[i + 1..] {
            let delta = (y - x) / (y + x);
            sum += n_x * n_y * delta * delta;
        }
    }
    2.0 * sum
}

/// Distinct values in ascending order, each with its count.
fn counts(values: &[f64]) -> Vec<(f64, f64)> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
        .chunk_by(|a, b| a == b)
        .map(|run| (run[0], run.len() as f64))
        .collect()
}

fn from_sums(values: usize, within: f64, between: f64) -> Result<f64, Undefined> {
    if between <= 0.0 {
        return Err(Undefined::Constant);
    }
    Ok(1.0 - (values as f64 - 1.0) * within / between)
}
