//! Nominal, ordinal and ratio α from the counts of distinct values, which add up over sources.

use super::{super::UndefinedReason, MeasurementLevel, sums::IntervalSums};

/// Pairable units in parts: all of them in one, or one part a source.
#[derive(Debug, Clone)]
pub(super) struct ValueCounts {
    level: MeasurementLevel,
    /// The distinct values, ascending. Other fields refer to a value by its index here.
    distinct: Vec<f64>,
    parts: Vec<PartCounts>,
}

#[derive(Debug, Clone)]
struct PartCounts {
    /// The distinct values that occur in it, each with its count.
    counts: Vec<(usize, f64)>,
    /// Σᵤ Σᵢ≠ⱼ δ²/(nᵤ−1) within its units; 0 at the ordinal level, where δ depends on the other values.
    within: f64,
    /// At the ordinal level the values of each unit, else nothing.
    units: Vec<Vec<usize>>,
}

impl ValueCounts {
    pub(super) fn new<'a>(
        parts: &[impl Iterator<Item = &'a [f64]> + Clone],
        level: MeasurementLevel,
    ) -> Self {
        let mut distinct: Vec<f64> = parts.iter().cloned().flatten().flatten().copied().collect();
        distinct.sort_unstable_by(f64::total_cmp);
        distinct.dedup();
        let parts = parts
            .iter()
            .map(|units| PartCounts::new(units.clone(), &distinct, level))
            .collect();
        Self {
            level,
            distinct,
            parts,
        }
    }

    /// α of the parts drawn, given by index, perhaps repeatedly.
    pub(super) fn alpha(&self, drawn: &[usize]) -> Result<f64, UndefinedReason> {
        let parts = drawn.iter().map(|part| &self.parts[*part]);
        let mut counts = vec![0.0; self.distinct.len()];
        for (at, count) in parts.clone().flat_map(|part| &part.counts) {
            counts[*at] += count;
        }
        let n: f64 = counts.iter().sum();
        if n == 0.0 {
            return Err(UndefinedReason::NoPairableUnit);
        }

        let runs = counts.iter().copied().enumerate();
        let runs = runs.filter(|run| run.1 > 0.0);
        let between = match self.level {
            MeasurementLevel::Ordinal | MeasurementLevel::Interval => {
                return ordinal_alpha(parts, &counts);
            }
            MeasurementLevel::Ratio if self.distinct[0] < 0.0 => {
                return Err(UndefinedReason::BelowZero);
            }
            MeasurementLevel::Ratio => ratio_pairs(&runs.collect::<Vec<_>>(), &self.distinct),
            MeasurementLevel::Nominal => unequal_pairs(runs),
        };

        if between <= 0.0 {
            return Err(UndefinedReason::Constant);
        }
        Ok(1.0 - (n - 1.0) * parts.map(|part| part.within).sum::<f64>() / between)
    }
}

impl PartCounts {
    fn new<'a>(
        units: impl Iterator<Item = &'a [f64]>,
        distinct: &[f64],
        level: MeasurementLevel,
    ) -> Self {
        let mut part = Self {
            counts: Vec::new(),
            within: 0.0,
            units: Vec::new(),
        };

        let mut all = Vec::new();
        for values in units {
            let mut unit: Vec<usize> = values
                .iter()
                .map(|value| distinct.partition_point(|other| other < value))
                .collect();
            all.extend_from_slice(&unit);
            let pairs = match level {
                MeasurementLevel::Ordinal | MeasurementLevel::Interval => {
                    part.units.push(unit);
                    continue;
                }
                MeasurementLevel::Nominal => unequal_pairs(count_runs(&mut unit).into_iter()),
                MeasurementLevel::Ratio => ratio_pairs(&count_runs(&mut unit), distinct),
            };
            part.within += pairs / (values.len() as f64 - 1.0);
        }
        part.counts = count_runs(&mut all);
        part
    }
}

/// With δ² = 0 or 1 the sum over ordered pairs of n values is n² − Σ(count of each value)².
fn unequal_pairs(runs: impl Iterator<Item = (usize, f64)>) -> f64 {
    let (n, squares) = runs.fold((0.0, 0.0), |(n, squares), (_, k)| (n + k, squares + k * k));
    n * n - squares
}

/// δ² = ((x−y)/(x+y))² has no closed form, so every pair of distinct values is visited.
fn ratio_pairs(runs: &[(usize, f64)], distinct: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (i, (x, n_x)) in runs.iter().enumerate() {
        for (y, n_y) in &runs[i + 1..] {
            // Values ascend from zero, so the divisor is above zero.
            let delta = (distinct[*y] - distinct[*x]) / (distinct[*y] + distinct[*x]);
            sum += n_x * n_y * delta * delta;
        }
    }
    2.0 * sum
}

/// Interval α on average ranks.
fn ordinal_alpha<'a>(
    drawn: impl Iterator<Item = &'a PartCounts>,
    counts: &[f64],
) -> Result<f64, UndefinedReason> {
    let mut below = 0.0;
    let ranks: Vec<f64> = counts
        .iter()
        .map(|count| {
            below += count;
            below - (count - 1.0) / 2.0
        })
        .collect();

    let middle = f64::midpoint(below, 1.0);
    let mut sums = IntervalSums::default();
    let mut unit = Vec::new();
    for positions in drawn.flat_map(|part| &part.units) {
        unit.clear();
        unit.extend(positions.iter().map(|at| ranks[*at]));
        sums = sums.plus(IntervalSums::from_unit(&unit, middle));
    }
    sums.alpha(middle)
}

/// The distinct positions, ascending, each with its count.
fn count_runs(positions: &mut [usize]) -> Vec<(usize, f64)> {
    positions.sort_unstable();
    positions
        .chunk_by(|a, b| a == b)
        .map(|run| (run[0], run.len() as f64))
        .collect()
}
