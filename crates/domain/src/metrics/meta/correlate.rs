//! Correlations over resampled sources, each drawn any number of times.

use crate::statistics::{
    UndefinedReason,
    correlation::{pearson, spearman},
};

/// Scores and ratings of outputs, prepared for resampling by source.
#[derive(Debug)]
pub(super) struct CorrelationSample {
    outputs: Vec<CorrelationPoint>,
    systems: usize,
    /// The outputs in ascending order of the score, and of the rating.
    by_score: Vec<usize>,
    by_rating: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
struct CorrelationPoint {
    source: usize,
    system: Option<usize>,
    score: f64,
    rating: f64,
}

impl CorrelationSample {
    /// Prepares the (source, system) and (score, rating) of each output; numbers are finite.
    pub(super) fn new(outputs: impl Iterator<Item = ((usize, Option<usize>), (f64, f64))>) -> Self {
        let outputs: Vec<CorrelationPoint> = outputs
            .map(|((source, system), (score, rating))| CorrelationPoint {
                source,
                system,
                score,
                rating,
            })
            .collect();
        let systems = outputs.iter().filter_map(|output| output.system).max();
        Self {
            systems: systems.map_or(0, |last| last + 1),
            by_score: ascending(&outputs, |output| output.score),
            by_rating: ascending(&outputs, |output| output.rating),
            outputs,
        }
    }

    /// Pearson's r over outputs, each weighted by how often its source was drawn.
    pub(super) fn pearson(&self, times: &[u32]) -> Result<f64, UndefinedReason> {
        let values = self.outputs.iter();
        let values =
            values.map(|output| (f64::from(times[output.source]), output.score, output.rating));
        weighted_pearson(values)
    }

    /// Spearman's ρ in the same way; ranks are those within the resample.
    pub(super) fn spearman(&self, times: &[u32]) -> Result<f64, UndefinedReason> {
        let scores = self.ranks(&self.by_score, |point| point.score, times);
        let ratings = self.ranks(&self.by_rating, |point| point.rating, times);
        let ranks = scores.into_iter().zip(ratings);
        let weights = self
            .outputs
            .iter()
            .map(|point| f64::from(times[point.source]));
        let values: Vec<_> = weights.zip(ranks).map(|(w, (x, y))| (w, x, y)).collect();
        weighted_pearson(values.iter().copied())
    }

    pub(super) fn pearson_of_systems(&self, times: &[u32]) -> Result<f64, UndefinedReason> {
        pearson(&self.system_means(times)).map(|correlation| correlation.coefficient)
    }

    pub(super) fn spearman_of_systems(&self, times: &[u32]) -> Result<f64, UndefinedReason> {
        spearman(&self.system_means(times)).map(|correlation| correlation.coefficient)
    }

    /// The mean score and rating of each system with an output in the resample.
    fn system_means(&self, times: &[u32]) -> Vec<(f64, f64)> {
        let mut sums = vec![(0.0, 0.0, 0.0); self.systems];
        for output in &self.outputs {
            if let Some(system) = output.system {
                let (weight, sum) = (f64::from(times[output.source]), &mut sums[system]);
                sum.0 += weight;
                sum.1 += weight * output.score;
                sum.2 += weight * output.rating;
            }
        }
        let drawn_systems = sums.into_iter().filter(|(number, ..)| *number > 0.0);
        drawn_systems
            .map(|(number, x, y)| (x / number, y / number))
            .collect()
    }

    /// The rank of each output; equal values share the mean of their ranks.
    fn ranks(
        &self,
        order: &[usize],
        value_of: fn(&CorrelationPoint) -> f64,
        times: &[u32],
    ) -> Vec<f64> {
        let mut ranks = vec![0.0; order.len()];
        let mut before = 0.0;
        for equal in
            order.chunk_by(|a, b| value_of(&self.outputs[*a]) == value_of(&self.outputs[*b]))
        {
            let draws = equal.iter().map(|at| times[self.outputs[*at].source]);
            let draws = f64::from(draws.sum::<u32>());
            equal
                .iter()
                .for_each(|at| ranks[*at] = before + (draws + 1.0) / 2.0);
            before += draws;
        }
        ranks
    }
}

fn ascending(outputs: &[CorrelationPoint], value_of: fn(&CorrelationPoint) -> f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..outputs.len()).collect();
    order.sort_unstable_by(|a, b| value_of(&outputs[*a]).total_cmp(&value_of(&outputs[*b])));
    order
}

/// Pearson's r of (weight, x, y).
fn weighted_pearson(
    values: impl Iterator<Item = (f64, f64, f64)> + Clone,
) -> Result<f64, UndefinedReason> {
    let values = values.filter(|(weight, ..)| *weight > 0.0);
    let (mut number, mut sum_x, mut sum_y) = (0.0, 0.0, 0.0);
    for (weight, x, y) in values.clone() {
        number += weight;
        sum_x += weight * x;
        sum_y += weight * y;
    }
    if number < 3.0 {
        let count = number as usize;
        return Err(UndefinedReason::TooFew {
            found: count,
            needed: 3,
        });
    }
    if !varies(values.clone().map(|(_, x, _)| x)) || !varies(values.clone().map(|(.., y)| y)) {
        return Err(UndefinedReason::Constant);
    }

    let (mean_x, mean_y) = (sum_x / number, sum_y / number);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (weight, x, y) in values {
        let (dx, dy) = (x - mean_x, y - mean_y);
        xx += weight * dx * dx;
        yy += weight * dy * dy;
        xy += weight * dx * dy;
    }

    if xx == 0.0 || yy == 0.0 {
        return Err(UndefinedReason::Constant);
    }
    if !(xx.is_finite() && yy.is_finite() && xy.is_finite()) {
        return Err(UndefinedReason::Extreme);
    }
    Ok((xy / xx.sqrt() / yy.sqrt()).clamp(-1.0, 1.0))
}

/// Whether not all of the values are equal.
fn varies(mut values: impl Iterator<Item = f64>) -> bool {
    let first = values.next();
    values.any(|value| Some(value) != first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A weight equals that many copies of the output.
        #[test]
        fn drawing_is_repeating(
            outputs in prop::collection::vec(((0usize..4, prop::option::of(0usize..3)), (-3i8..4, -3i8..4)), 3..20),
            times in prop::array::uniform4(0u32..3),
        ) {
            let number = |(x, y): (i8, i8)| (f64::from(x), f64::from(y));
            let outputs: Vec<_> = outputs.into_iter().map(|(place, point)| (place, number(point))).collect();
            let repeated: Vec<_> = outputs
                .iter()
                .flat_map(|output| std::iter::repeat_n(*output, times[output.0.0] as usize))
                .collect();
            let values: Vec<_> = repeated.iter().map(|(_, values)| *values).collect();
            let pairs = CorrelationSample::new(outputs.into_iter());
            let same = |actual: Result<f64, UndefinedReason>, expected: Result<f64, UndefinedReason>| match (actual, expected) {
                (Ok(actual), Ok(expected)) => (actual - expected).abs() < 1e-9,
                (found, expected) => found.is_err() && expected.is_err(),
            };
            prop_assert!(same(pairs.pearson(&times), pearson(&values).map(|correlation| correlation.coefficient)));
            prop_assert!(same(pairs.spearman(&times), spearman(&values).map(|correlation| correlation.coefficient)));
            let again = CorrelationSample::new(repeated.into_iter());
            prop_assert!(same(pairs.pearson_of_systems(&times), again.pearson_of_systems(&[1; 4])));
        }
    }
}
