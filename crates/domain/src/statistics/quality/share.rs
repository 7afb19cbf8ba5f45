//! Counts that keep what they were counted of.

use std::{iter::Sum, ops::AddAssign};

use super::super::{Undefined, undefined::require};

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

    /// Whether there are at least `fewest`, and the fraction is `least` or more.
    pub(super) fn reaches(self, fewest: usize, least: f64) -> bool {
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
