//! The receiver operating characteristic: how well a score separates two kinds of items.

use serde::{Deserialize, Serialize};

use super::{UndefinedReason, require, require_numbers};

/// The classification at one threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RocPoint {
    /// Items that score this or less are predicted positive.
    pub threshold: f64,
    /// The share of positive items predicted positive, from 0 to 1.
    pub true_positive_rate: f64,
    /// The share of negative items predicted positive.
    pub false_positive_rate: f64,
}

impl RocPoint {
    /// The geometric mean √(tpr·(1 − fpr)) of the shares that are right.
    #[must_use]
    pub fn geometric_mean(self) -> f64 {
        (self.true_positive_rate * (1.0 - self.false_positive_rate)).sqrt()
    }
}

/// A ROC curve with its area and best threshold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RocCurve {
    /// A point for each score that occurs, ascending; the last one predicts everything positive.
    pub points: Vec<RocPoint>,
    /// The area under the curve: the probability that a positive item scores lower than a negative
    /// one, equal scores counting half. 0.5 is chance.
    pub area: f64,
    /// The point with the largest geometric mean; among equals, the one with the lowest threshold.
    pub best: RocPoint,
    /// The number of positive items.
    pub positive: usize,
    /// The number of negative items.
    pub negative: usize,
}

/// The curve of items that are positive where they score *low*, as (score, positive).
///
/// Source: Fawcett (2006), An introduction to ROC analysis; the area is Mann and Whitney's U/(mn).
///
/// # Errors
/// [`UndefinedReason::TooFew`] if one kind has no items, [`UndefinedReason::NotFinite`].
pub fn roc(items: &[(f64, bool)]) -> Result<RocCurve, UndefinedReason> {
    let mut items = items.to_vec();
    items.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    require_numbers(
        2,
        &items.iter().map(|(score, _)| *score).collect::<Vec<_>>(),
    )?;
    let positive = items.iter().filter(|(_, positive)| *positive).count();
    let negative = items.len() - positive;
    require(1, positive.min(negative))?;

    let (mut true_positives, mut false_positives, mut area) = (0, 0, 0.0);
    let mut points = Vec::new();
    for run in items.chunk_by(|a, b| a.0 == b.0) {
        let hits = run.iter().filter(|(_, positive)| *positive).count();
        let misses = run.len() - hits;
        area += misses as f64 * (true_positives as f64 + hits as f64 / 2.0);
        true_positives += hits;
        false_positives += misses;
        points.push(RocPoint {
            threshold: run[0].0,
            true_positive_rate: true_positives as f64 / positive as f64,
            false_positive_rate: false_positives as f64 / negative as f64,
        });
    }

    let best = points.iter().fold(points[0], better_point);
    Ok(RocCurve {
        points,
        area: area / (positive as f64 * negative as f64),
        best,
        positive,
        negative,
    })
}

/// The point with the larger geometric mean; the first among equals.
fn better_point(best: RocPoint, next: &RocPoint) -> RocPoint {
    match next.geometric_mean() > best.geometric_mean() {
        true => *next,
        false => best,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_score_that_tells_all_has_all_of_the_area() {
        let curve = roc(&[(0.1, true), (0.2, true), (0.7, false)]).unwrap();
        assert_eq!((curve.area, curve.best.threshold), (1.0, 0.2));
        assert_eq!(roc(&[(0.5, true), (0.5, false)]).unwrap().area, 0.5);
        let one_kind = roc(&[(0.5, true), (0.6, true)]);
        assert_eq!(
            one_kind,
            Err(UndefinedReason::TooFew {
                found: 0,
                needed: 1
            })
        );
        assert_eq!(
            roc(&[(f64::NAN, true), (0.6, false)]),
            Err(UndefinedReason::NotFinite)
        );
    }

    proptest! {
        #[test]
        fn the_area_is_the_share_of_pairs_in_order(
            items in prop::collection::vec((0..6_u8, any::<bool>()), 2..40),
        ) {
            let items: Vec<_> = items.iter().map(|(s, p)| (f64::from(*s), *p)).collect();
            let Ok(curve) = roc(&items) else { return Ok(()) };
            let of_kind = |kind| items.iter().filter(move |item| item.1 == kind);
            let mut area = 0.0;
            for (low, _) in of_kind(true) {
                for (high, _) in of_kind(false) {
                    area += f64::from(u8::from(low < high)) + f64::from(u8::from(low == high)) / 2.0;
                }
            }
            area /= (curve.positive * curve.negative) as f64;
            prop_assert!((curve.area - area).abs() < 1e-12);
            let last = curve.points.last().unwrap();
            prop_assert_eq!((last.true_positive_rate, last.false_positive_rate), (1.0, 1.0));
            let turned: Vec<_> = items.iter().map(|(s, p)| (-s, *p)).collect();
            prop_assert!((roc(&turned).unwrap().area + curve.area - 1.0).abs() < 1e-12);
        }
    }
}
