//! The sums of one rater, and affine transforms of the ratings.

use super::super::{DeviationKind, UndefinedReason, require, standardise::RaterScale};

/// The sums of one rater's ratings around an origin of their own, the first of them: integer
/// ratings then leave no rounding error, whatever is added and removed.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct RaterSums {
    pub(super) origin: f64,
    /// The largest |x| ever added, which bounds the rounding error.
    max_abs: f64,
    /// Over all ratings.
    pub(super) all: PowerSums,
    /// Over ratings of units with another rating.
    pub(super) pairable: PowerSums,
}

/// n, Σx and Σx².
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct PowerSums {
    pub(super) n: usize,
    pub(super) x: f64,
    pub(super) xx: f64,
}

/// y = slope·x + start, of a rating x around its rater's origin.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct AffineTransform {
    slope: f64,
    offset: f64,
    /// About the largest y² that was added or removed.
    pub(super) magnitude: f64,
}

impl RaterSums {
    pub(super) fn add(&mut self, value: f64, pairable: bool) {
        if self.all.n == 0 {
            *self = Self {
                origin: value,
                ..Self::default()
            };
        }
        let x = value - self.origin;
        self.max_abs = self.max_abs.max(x.abs());
        self.all.add(x);
        if pairable {
            self.pairable.add(x);
        }
    }

    pub(super) fn remove(&mut self, value: f64, pairable: bool) {
        let x = value - self.origin;
        self.all.remove(x);
        if pairable {
            self.pairable.remove(x);
        }
    }

    /// The transform that restores the raw ratings.
    pub(super) fn raw_transform(&self) -> AffineTransform {
        self.transform(1.0, self.origin)
    }

    /// The transform to z-scores.
    pub(super) fn z_transform(&self, scale: RaterScale) -> AffineTransform {
        self.transform(1.0 / scale.sd, (self.origin - scale.mean) / scale.sd)
    }

    fn transform(&self, slope: f64, start: f64) -> AffineTransform {
        AffineTransform {
            slope,
            offset: start,
            magnitude: (slope * self.max_abs).powi(2) + start * start,
        }
    }

    pub(super) fn scale(&self, deviation: DeviationKind) -> Result<RaterScale, UndefinedReason> {
        require(2, self.all.n)?;
        let n = self.all.n as f64;
        let size = n * self.max_abs * self.max_abs;
        let spread = spread(n, self.all.x, self.all.xx, size).ok_or(UndefinedReason::Constant)?;
        let divisor = match deviation {
            DeviationKind::Population => n * n,
            DeviationKind::Sample => n * (n - 1.0),
        };
        Ok(RaterScale {
            mean: self.origin + self.all.x / n,
            sd: (spread / divisor).sqrt(),
        })
    }
}

impl PowerSums {
    fn add(&mut self, x: f64) {
        self.n += 1;
        self.x += x;
        self.xx += x * x;
    }

    fn remove(&mut self, x: f64) {
        self.n -= 1;
        self.x -= x;
        self.xx -= x * x;
        if self.n == 0 {
            *self = Self::default();
        }
    }
}

impl AffineTransform {
    /// Σy of n values with the given Σx.
    pub(super) fn sum(self, n: f64, x: f64) -> f64 {
        self.slope * x + self.offset * n
    }

    /// Σyy′ of n values under this transform and another, with the given Σx, Σx′ and Σxx′.
    pub(super) fn product(self, other: Self, n: f64, x: f64, y: f64, xy: f64) -> f64 {
        self.slope * other.slope * xy
            + self.slope * other.offset * x
            + other.slope * self.offset * y
            + self.offset * other.offset * n
    }
}

/// nΣx² − (Σx)², or `None` if it is within the rounding error of equal values, given the sum of
/// all squares that were added or removed.
pub(super) fn spread(n: f64, x: f64, xx: f64, size: f64) -> Option<f64> {
    let spread = n * xx - x * x;
    (spread > 1e-12 * n * size).then_some(spread)
}
