//! Summary statistics of a sample.

use serde::{Deserialize, Serialize};

use super::{UndefinedReason, distribution::t_within, require_numbers};

/// Size, centre, spread and the 95 % interval of the mean of one sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SampleSummary {
    /// The number of values.
    pub n: usize,
    /// The mean.
    pub mean: f64,
    /// The median: the middle value, or the mean of the two in the middle.
    pub median: f64,
    /// The sample standard deviation, √(Σ(x−m)²/(n−1)); zero for a constant sample.
    pub sd: f64,
    /// The standard error of the mean, sd/√n.
    pub standard_error: f64,
    /// Half the width of the interval of the mean: t(.975, n−1)·sd/√n.
    pub half_width: f64,
}

impl SampleSummary {
    /// The 95 % confidence interval of the mean, mean ± half width.
    #[must_use]
    pub fn interval(&self) -> (f64, f64) {
        (self.mean - self.half_width, self.mean + self.half_width)
    }
}

/// Describes `values`; leave missing ones out.
///
/// # Errors
/// [`UndefinedReason::TooFew`] below two values, [`UndefinedReason::NotFinite`].
pub fn describe(values: &[f64]) -> Result<SampleSummary, UndefinedReason> {
    require_numbers(2, values)?;

    let n = values.len() as f64;
    let mean = mean(values);
    let sd = (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    let standard_error = sd / n.sqrt();
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);

    Ok(SampleSummary {
        n: values.len(),
        mean,
        median: quantile(&sorted, 0.5),
        sd,
        standard_error,
        half_width: t_within(0.95, n - 1.0) * standard_error,
    })
}

/// The largest difference between two of the values, in their unit; `None` below two values. It
/// does not depend on ties or the order of values.
#[must_use]
pub fn range(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values = values.into_iter();
    let (first, second) = (values.next()?, values.next()?);
    let ends = (first.min(second), first.max(second));
    let (low, high) = values.fold(ends, |(low, high), x| (low.min(x), high.max(x)));
    Some(high - low)
}

/// The mean of `values`; `NaN` without values.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The quantile at `p` (0 to 1) of ascending values, linear between neighbours: numpy's default,
/// type 7 of Hyndman and Fan (1996).
///
/// # Panics
/// If `ascending` is empty.
#[must_use]
pub fn quantile(ascending: &[f64], p: f64) -> f64 {
    let at = p.clamp(0.0, 1.0) * (ascending.len() - 1) as f64;
    let (low, high) = (
        ascending[at.floor() as usize],
        ascending[at.ceil() as usize],
    );
    low + (high - low) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn the_range_is_the_largest_difference() {
        for (values, expect) in [
            (&[][..], None),
            (&[4.0], None),
            (&[4.0, 4.0], Some(0.0)),
            (&[3.0, -1.0, 7.5], Some(8.5)),
        ] {
            assert_eq!(range(values.iter().copied()), expect, "{values:?}");
        }
    }
}
