//! Proportions and means that keep their denominators.

use std::{iter::Sum, ops::AddAssign};

use super::super::{UndefinedReason, distribution::normal_within, require};

/// A count out of a total.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Proportion {
    /// The number of items that qualify.
    pub count: usize,
    /// The number of all items; at least `count`.
    pub total: usize,
}

impl Proportion {
    /// The proportion of answers that are yes.
    pub fn from_answers(answers: impl IntoIterator<Item = bool>) -> Self {
        answers
            .into_iter()
            .fold(Self::default(), |share, yes| Self {
                count: share.count + usize::from(yes),
                total: share.total + 1,
            })
    }

    /// The fraction, from 0 to 1.
    ///
    /// # Errors
    /// [`UndefinedReason::TooFew`] without items.
    pub fn rate(self) -> Result<f64, UndefinedReason> {
        require(1, self.total)?;
        Ok(self.count as f64 / self.total as f64)
    }

    /// The fraction in percent, from 0 to 100. The count is multiplied before it is divided, so that
    /// programs that compute percentages of counts get the same last digit.
    ///
    /// # Errors
    /// [`UndefinedReason::TooFew`] without items.
    pub fn percent(self) -> Result<f64, UndefinedReason> {
        require(1, self.total)?;
        Ok(100.0 * self.count as f64 / self.total as f64)
    }

    /// The score interval of the fraction, from 0 to 1, for independent answers. It has a width
    /// even if none or all qualify.
    ///
    /// Source: Wilson (1927), Probable Inference, the Law of Succession, and Statistical Inference.
    ///
    /// # Errors
    /// [`UndefinedReason::TooFew`] without items.
    pub fn wilson(self, confidence: f64) -> Result<(f64, f64), UndefinedReason> {
        let rate = self.rate()?;
        let (n, z) = (self.total as f64, normal_within(confidence));
        let shrunk = 1.0 + z * z / n;
        let centre = (rate + z * z / (2.0 * n)) / shrunk;
        let half = z * (rate * (1.0 - rate) / n + z * z / (4.0 * n * n)).sqrt() / shrunk;
        // The fraction lies inside; with none or all, rounding could put it outside.
        Ok((
            (centre - half).clamp(0.0, rate),
            (centre + half).clamp(rate, 1.0),
        ))
    }

    /// Whether there are at least `fewest`, and the fraction is `least` or more.
    pub(crate) fn reaches(self, fewest: usize, least: f64) -> bool {
        self.total >= fewest && self.rate().is_ok_and(|rate| rate >= least)
    }
}

impl AddAssign for Proportion {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.total += other.total;
    }
}

impl Sum for Proportion {
    fn sum<I: Iterator<Item = Self>>(shares: I) -> Self {
        shares.fold(Self::default(), |mut sum, share| {
            sum += share;
            sum
        })
    }
}

/// A mean with its number of values.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SampleMean {
    /// The number of values.
    pub n: usize,
    sum: f64,
}

impl SampleMean {
    /// The mean, in the unit of the values.
    ///
    /// # Errors
    /// [`UndefinedReason::TooFew`] without items.
    pub fn value(self) -> Result<f64, UndefinedReason> {
        require(1, self.n)?;
        Ok(self.sum / self.n as f64)
    }
}

impl FromIterator<f64> for SampleMean {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        values
            .into_iter()
            .fold(Self::default(), |mean, value| Self {
                n: mean.n + 1,
                sum: mean.sum + value,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newcombe_1998_table_1_wilson() {
        for (count, of, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let interval = Proportion { count, total: of }.wilson(0.95).unwrap();
            assert!(
                (interval.0 - low).abs() < 5e-5 && (interval.1 - high).abs() < 5e-5,
                "{interval:?}"
            );
        }
    }

    #[test]
    fn of_nothing_there_is_neither_a_share_nor_a_mean() {
        let none = UndefinedReason::TooFew {
            found: 0,
            needed: 1,
        };
        assert_eq!(Proportion::default().rate(), Err(none));
        assert_eq!(SampleMean::default().value(), Err(none));
        assert_eq!(
            Proportion::from_answers([true, false, false, true]).rate(),
            Ok(0.5)
        );
        assert_eq!(SampleMean::from_iter([1.0, 2.0, 6.0]).value(), Ok(3.0));
    }
}
