//! Interval α from sums, which add up over units and sources.

use super::super::UndefinedReason;

/// The sums from which interval α follows, over units with two or more values each. Sums are taken
/// around an origin that is the same for everything that is added up. α does not depend on the origin
/// but rounding does, so it lies among the values.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct IntervalSums {
    /// The number N of values.
    n: f64,
    /// Σx.
    sum: f64,
    /// Σx².
    squares: f64,
    /// Σᵤ (nᵤΣx² − (Σx)²)/(nᵤ−1) within units, which is half of Σᵤ Σᵢ≠ⱼ (xᵢ−xⱼ)²/(nᵤ−1).
    within: f64,
}

impl IntervalSums {
    pub(super) fn from_units<'a>(units: impl Iterator<Item = &'a [f64]>, origin: f64) -> Self {
        units.fold(Self::default(), |sums, values| {
            sums.plus(Self::from_unit(values, origin))
        })
    }

    /// The sums of one unit. Deviations within it are taken from its first value, so that equal
    /// values give exactly zero.
    pub(super) fn from_unit(values: &[f64], origin: f64) -> Self {
        let first = values[0];
        let (mut s, mut q) = (0.0, 0.0);
        for x in &values[1..] {
            let d = x - first;
            s += d;
            q += d * d;
        }

        let k = values.len() as f64;
        let shift = first - origin;
        Self {
            n: k,
            sum: s + k * shift,
            squares: q + shift * (2.0 * s + k * shift),
            within: (k * q - s * s) / (k - 1.0),
        }
    }

    /// The sums of both, around the same origin.
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            n: self.n + other.n,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
            within: self.within + other.within,
        }
    }

    /// The sums, each times `factor`.
    pub(super) fn times(self, factor: f64) -> Self {
        Self {
            n: factor * self.n,
            sum: factor * self.sum,
            squares: factor * self.squares,
            within: factor * self.within,
        }
    }

    /// Whether these sums are so small a part of `whole`, from which they were taken away, that their rounding error may
    /// count.
    pub(super) fn has_lost_digits(self, whole: Self) -> bool {
        let (spread, whole) = (
            self.n * self.squares - self.sum * self.sum,
            whole.n * whole.squares,
        );
        spread < 1e-6 * whole
    }

    /// The number of values.
    pub(super) fn count(self) -> usize {
        self.n as usize
    }

    /// α = 1 − (N−1)·within/(NΣx² − (Σx)²).
    pub(super) fn alpha(self, origin: f64) -> Result<f64, UndefinedReason> {
        if self.n == 0.0 {
            return Err(UndefinedReason::NoPairableUnit);
        }

        let between = self.n * self.squares - self.sum * self.sum;
        // The rounding error of equal values: of the difference, and of the values themselves
        // (z-scores that should be equal differ in their last digits).
        let mean = origin + self.sum / self.n;
        let rounding = (1e-12 * self.n * self.squares).max((1e-12 * self.n * mean).powi(2));
        if between <= rounding {
            return Err(UndefinedReason::Constant);
        }
        Ok(1.0 - (self.n - 1.0) * self.within / between)
    }
}
