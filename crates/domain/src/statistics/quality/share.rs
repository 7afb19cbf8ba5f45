//! Counts that keep what they were counted of.

use std::{iter::Sum, ops::AddAssign};

use super::super::{Undefined, distribution::normal_within, undefined::require};

/// So many of so many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// Those that are so.
    pub count: usize,
    /// All that could be; at least `count`.
    pub of: usize,
}

impl Share {
    /// How many of the answers are yes.
    pub fn of(answers: impl IntoIterator<Item = bool>) -> Self {
        answers
            .into_iter()
            .fold(Self::default(), |share, yes| Self {
                count: share.count + usize::from(yes),
                of: share.of + 1,
            })
    }

    /// The fraction, from 0 to 1.
    ///
    /// # Errors
    /// [`Undefined::TooFew`] of none.
    pub fn rate(self) -> Result<f64, Undefined> {
        require(1, self.of)?;
        Ok(self.count as f64 / self.of as f64)
    }

    /// The score interval of the fraction, from 0 to 1, for answers that are independent: it has a
    /// width also where none or all are so.
    ///
    /// Source: Wilson (1927), Probable Inference, the Law of Succession, and Statistical Inference.
    ///
    /// # Errors
    /// [`Undefined::TooFew`] of none.
    pub fn wilson(self, confidence: f64) -> Result<(f64, f64), Undefined> {
        let rate = self.rate()?;
        let (n, z) = (self.of as f64, normal_within(confidence));
        let shrunk = 1.0 + z * z / n;
        let centre = (rate + z * z / (2.0 * n)) / shrunk;
        let half = z * (rate * (1.0 - rate) / n + z * z / (4.0 * n * n)).sqrt() / shrunk;
        // The fraction lies inside; of none or all, rounding may say otherwise.
        Ok((
            (centre - half).clamp(0.0, rate),
            (centre + half).clamp(rate, 1.0),
        ))
    }

    /// Whether there are at least `fewest`, and the fraction is `least` or more.
    pub(crate) fn reaches(self, fewest: usize, least: f64) -> bool {
        self.of >= fewest && self.rate().is_ok_and(|rate| rate >= least)
    }
}

impl AddAssign for Share {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.of += other.of;
    }
}

impl Sum for Share {
    fn sum<I: Iterator<Item = Self>>(shares: I) -> Self {
        shares.fold(Self::default(), |mut sum, share| {
            sum += share;
            sum
        })
    }
}

/// A mean that knows how many values it is of.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Mean {
    /// The number of values.
    pub n: usize,
    sum: f64,
}

impl Mean {
    /// The mean, in the unit of the values.
    ///
    /// # Errors
    /// [`Undefined::TooFew`] of none.
    pub fn value(self) -> Result<f64, Undefined> {
        require(1, self.n)?;
        Ok(self.sum / self.n as f64)
    }
}

impl FromIterator<f64> for Mean {
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
            let found = Share { count, of }.wilson(0.95).unwrap();
            assert!(
                (found.0 - low).abs() < 5e-5 && (found.1 - high).abs() < 5e-5,
                "{found:?}"
            );
        }
    }

    #[test]
    fn of_nothing_there_is_neither_a_share_nor_a_mean() {
        let none = Undefined::TooFew {
            found: 0,
            needed: 1,
        };
        assert_eq!(Share::default().rate(), Err(none));
        assert_eq!(Mean::default().value(), Err(none));
        assert_eq!(Share::of([true, false, false, true]).rate(), Ok(0.5));
        assert_eq!(Mean::from_iter([1.0, 2.0, 6.0]).value(), Ok(3.0));
    }
}
