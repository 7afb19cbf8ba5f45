use super::{
    super::{UndefinedReason, describe::quantile, require},
    Proportion,
};

/// The number of robust standard deviations from the median beyond which a time is an outlier.
pub const OUTLIER_CUTOFF: f64 = 3.5;

/// The factor from the median absolute deviation of normal values to their standard deviation.
const TO_SD: f64 = 1.4826;

/// The fewest times among which outliers are sought.
pub const FEWEST_TIMES: usize = 8;

/// The range of usual times for a source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaceFences {
    /// Milliseconds; a shorter time is an outlier.
    pub fast_ms: f64,
    /// Milliseconds; a longer time is an outlier.
    pub slow_ms: f64,
}

impl PaceFences {
    /// The fences of active times in milliseconds, of all raters together: a time t is an outlier where
    /// |ln t − m| > [`OUTLIER_CUTOFF`] · 1.4826 · MAD, with m the median of all ln t and MAD the median
    /// of the |ln t − m| (Iglewicz and Hoaglin's modified z-score, on logarithms, because times are
    /// skewed). The median and the MAD are robust to a few odd times, and because all raters share
    /// them, a rater who always hurries is noticed. Times of 0 were not recorded and are left out.
    ///
    /// # Errors
    /// [`UndefinedReason::TooFew`] below [`FEWEST_TIMES`] times; [`UndefinedReason::Constant`] where more than
    /// half are the same.
    pub fn from_times(times_ms: impl IntoIterator<Item = u64>) -> Result<Self, UndefinedReason> {
        let times = times_ms.into_iter().filter(|time| *time > 0);
        let logs: Vec<_> = times.map(|time| (time as f64).ln()).collect();
        require(FEWEST_TIMES, logs.len())?;

        let middle = median(logs.clone());
        let mad = median(logs.iter().map(|log| (log - middle).abs()).collect());
        if mad == 0.0 {
            return Err(UndefinedReason::Constant);
        }
        let reach = OUTLIER_CUTOFF * TO_SD * mad;
        Ok(Self {
            fast_ms: (middle - reach).exp(),
            slow_ms: (middle + reach).exp(),
        })
    }
}

/// A rater's pace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaceSummary {
    /// The number of sources with a recorded time.
    pub sources: usize,
    /// The median active time of a source in milliseconds; undefined without any.
    pub median_ms: Result<f64, UndefinedReason>,
    /// Sources done faster than nearly all others, of those with a time.
    pub fast: Result<Proportion, UndefinedReason>,
    /// Sources that took longer than nearly all others.
    pub slow: Result<Proportion, UndefinedReason>,
}

impl PaceSummary {
    /// Summarises one rater's active times in milliseconds, compared with the fences of all raters.
    #[must_use]
    pub fn from_times(times_ms: &[u64], fences: Result<PaceFences, UndefinedReason>) -> Self {
        let recorded = times_ms.iter().filter(|time| **time > 0);
        let times: Vec<_> = recorded.map(|time| *time as f64).collect();
        Self {
            sources: times.len(),
            fast: fences.map(|fences| share_where(&times, |time| time < fences.fast_ms)),
            slow: fences.map(|fences| share_where(&times, |time| time > fences.slow_ms)),
            median_ms: require(1, times.len()).map(|()| median(times)),
        }
    }
}

fn share_where(times: &[f64], is_outlier: impl Fn(f64) -> bool) -> Proportion {
    Proportion::from_answers(times.iter().map(|time| is_outlier(*time)))
}

/// The median of at least one value.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    quantile(&values, 0.5)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fast_and_slow_times_are_told_apart() {
        let usual = [
            50_000, 60_000, 70_000, 80_000, 90_000, 100_000, 110_000, 120_000,
        ];
        let odd = [2_000, 0, 3_600_000, 75_000];
        let fences = PaceFences::from_times(usual.into_iter().chain(odd));
        let pace = PaceSummary::from_times(&odd, fences);
        assert_eq!(pace.sources, 3);
        assert_eq!(pace.median_ms, Ok(75_000.0));
        assert_eq!(pace.fast, Ok(Proportion { count: 1, total: 3 }));
        assert_eq!(pace.slow, Ok(Proportion { count: 1, total: 3 }));
    }

    #[test]
    fn few_or_equal_times_have_no_outliers() {
        let few = PaceFences::from_times([1_000; 7]);
        assert_eq!(
            few.unwrap_err(),
            UndefinedReason::TooFew {
                found: 7,
                needed: 8
            }
        );
        assert_eq!(
            PaceFences::from_times([1_000; 9]),
            Err(UndefinedReason::Constant)
        );
        let none = PaceSummary::from_times(&[0], few);
        assert_eq!((none.sources, none.fast.is_err()), (0, true));
        assert!(none.median_ms.is_err());
    }

    proptest! {
        #[test]
        fn the_unit_of_time_does_not_matter(
            times in prop::collection::vec(1..1_000_000_u64, 8..40),
            unit in 2..60_u64,
        ) {
            let scaled: Vec<_> = times.iter().map(|time| time * unit).collect();
            if let (Ok(one), Ok(other)) = (PaceFences::from_times(times.clone()), PaceFences::from_times(scaled)) {
                let unit = unit as f64;
                prop_assert!((one.fast_ms * unit / other.fast_ms - 1.0).abs() < 1e-9);
                prop_assert!((one.slow_ms * unit / other.slow_ms - 1.0).abs() < 1e-9);
                prop_assert!(one.fast_ms < one.slow_ms);
                let pace = PaceSummary::from_times(&times, Ok(one));
                let beyond = pace.fast.unwrap().count + pace.slow.unwrap().count;
                // Half of all times lie within one MAD.
                prop_assert!(2 * beyond <= times.len());
            }
        }
    }
}
