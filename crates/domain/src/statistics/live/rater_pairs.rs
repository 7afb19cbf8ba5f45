//! Sums over the units that two raters share.

use std::collections::BTreeMap;

use super::rater::AffineTransform;

/// The sums of every two raters who rated a unit together.
#[derive(Debug, Clone, Default)]
pub(super) struct SumsByRaterPair(BTreeMap<(u32, u32), RaterPairSums>);

/// x is the first rater's rating, y the second's, each around its rater's origin.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct RaterPairSums {
    pub(super) units: usize,
    x: f64,
    y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
    /// Σw, Σwx, Σwy and Σwxy with w = 1/(n−1), n the number of ratings of the unit.
    w: f64,
    wx: f64,
    wy: f64,
    wxy: f64,
}

impl SumsByRaterPair {
    pub(super) fn add(&mut self, unit: &[(u32, f64)]) {
        for_each_pair(unit, |raters, of_unit| {
            let pair = self.0.entry(raters).or_default();
            *pair = pair.plus(&of_unit, 1.0);
            pair.units += 1;
        });
    }

    pub(super) fn remove(&mut self, unit: &[(u32, f64)]) {
        for_each_pair(unit, |raters, of_unit| {
            let pair = self
                .0
                .get_mut(&raters)
                .expect("what is removed was added before");
            *pair = pair.plus(&of_unit, -1.0);
            pair.units -= 1;
            if pair.units == 0 {
                self.0.remove(&raters);
            }
        });
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = ((u32, u32), &RaterPairSums)> {
        self.0.iter().map(|(raters, pair)| (*raters, pair))
    }
}

impl RaterPairSums {
    /// Σwyy′ over the units of both.
    pub(super) fn weighted_product(&self, a: AffineTransform, b: AffineTransform) -> f64 {
        a.product(b, self.w, self.wx, self.wy, self.wxy)
    }

    /// (Σy over both, Σy² over both, Σyy′).
    pub(super) fn moments(&self, a: AffineTransform, b: AffineTransform) -> (f64, f64, f64) {
        let n = self.units as f64;
        let squares =
            a.product(a, n, self.x, self.x, self.xx) + b.product(b, n, self.y, self.y, self.yy);
        (
            a.sum(n, self.x) + b.sum(n, self.y),
            squares,
            a.product(b, n, self.x, self.y, self.xy),
        )
    }

    fn plus(&self, other: &Self, sign: f64) -> Self {
        let combine = |field: fn(&Self) -> f64| field(self) + sign * field(other);
        Self {
            units: self.units,
            x: combine(|p| p.x),
            y: combine(|p| p.y),
            xx: combine(|p| p.xx),
            yy: combine(|p| p.yy),
            xy: combine(|p| p.xy),
            w: combine(|p| p.w),
            wx: combine(|p| p.wx),
            wy: combine(|p| p.wy),
            wxy: combine(|p| p.wxy),
        }
    }
}

fn for_each_pair(unit: &[(u32, f64)], mut visit: impl FnMut((u32, u32), RaterPairSums)) {
    let w = 1.0 / (unit.len() as f64 - 1.0);
    for (at, (first, x)) in unit.iter().copied().enumerate() {
        for (second, y) in unit[at + 1..].iter().copied() {
            let (xx, yy, xy) = (x * x, y * y, x * y);
            let (wx, wy, wxy) = (w * x, w * y, w * xy);
            visit(
                (first, second),
                RaterPairSums {
                    units: 0,
                    x,
                    y,
                    xx,
                    yy,
                    xy,
                    w,
                    wx,
                    wy,
                    wxy,
                },
            );
        }
    }
}
