//! Interval α from sums, which add up over units, sources and raters.

use super::super::Undefined;

/// What interval α needs to know of some units with two or more values each. Sums are taken around
/// an origin that is the same for all that is added up; α does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Sums {
    /// The number N of values.
    pub(in super::super) n: f64,
    /// Σx.
    pub(in super::super) sum: f64,
    /// Σx².
    pub(in super::super) squares: f64,
    /// Σᵤ (nᵤΣx² − (Σx)²)/(nᵤ−1) within units, which is half of Σᵤ Σᵢ≠ⱼ (xᵢ−xⱼ)²/(nᵤ−1).
    pub(in super::super) within: f64,
    /// The smallest value.
    pub(in super::super) min: f64,
    /// The largest value.
    pub(in super::super) max: f64,
}

impl Sums {
    /// Of no unit.
    pub(in super::super) const NONE: Self = Self {
        n: 0.0,
        sum: 0.0,
        squares: 0.0,
        within: 0.0,
        min: f64::INFINITY,
        max: f64::NEG_INFINITY,
    };

    /// Of one unit's values. Deviations within it are taken from its first value, so that equal
    /// values give exactly zero.
    #[inline]
    pub(in super::super) fn of_unit(values: &[f64], origin: f64) -> Self {
        let first = values[0];
        let (mut s, mut q, mut min, mut max) = (0.0, 0.0, first, first);
        for x in values {
            let d = x - first;
            s += d;
            q += d * d;
            min = if *x < min { *x } else { min };
            max = if *x > max { *x } else { max };
        }
        let k = values.len() as f64;
        let shift = first - origin;
        Self {
            n: k,
            sum: s + k * shift,
            squares: q + shift * (2.0 * s + k * shift),
            within: (k * q - s * s) / (k - 1.0),
            min,
            max,
        }
    }

    /// Of several units.
    pub(in super::super) fn of_units<'a>(
        units: impl Iterator<Item = &'a [f64]>,
        origin: f64,
    ) -> Self {
        let mut sums = Self::NONE;
        units.for_each(|values| sums.add(&Self::of_unit(values, origin)));
        sums
    }

    /// Takes in the sums of other units around the same origin.
    #[inline]
    pub(in super::super) fn add(&mut self, other: &Self) {
        self.n += other.n;
        self.sum += other.sum;
        self.squares += other.squares;
        self.within += other.within;
        self.min = if other.min < self.min {
            other.min
        } else {
            self.min
        };
        self.max = if other.max > self.max {
            other.max
        } else {
            self.max
        };
    }

    /// α = 1 − (N−1)·within/(NΣx² − (Σx)²).
    pub(in super::super) fn alpha(&self) -> Result<f64, Undefined> {
        if self.n == 0.0 {
            return Err(Undefined::NoPairableUnit);
        }
        let between = self.n * self.squares - self.sum * self.sum;
        // Standard scores that ought to be equal may differ in their last digits.
        let rounding = 1e-12 * self.min.abs().max(self.max.abs());
        if self.max - self.min <= rounding || between <= 0.0 {
            return Err(Undefined::Constant);
        }
        Ok(1.0 - (self.n - 1.0) * self.within / between)
    }
}
