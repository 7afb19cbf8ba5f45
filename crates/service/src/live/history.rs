//! The history of agreement, rating by rating.

use domain::statistics::{DeviationKind, UndefinedReason};

use super::dimension_sums::OutputRatingSums;

/// The most points that are kept; where there are more, every other one is dropped.
const MAX_POINTS: usize = 120;

/// Agreement at one point in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AgreementPoint {
    /// The number of ratings up to then.
    pub ratings: usize,
    /// α of the ratings as they were entered.
    pub raw: Result<f64, UndefinedReason>,
    /// α of their z-scores by the scales of that time.
    pub z: Result<f64, UndefinedReason>,
}

impl AgreementPoint {
    pub(super) fn from_sums(sums: &OutputRatingSums) -> Self {
        let raw = sums.raw().agreement();
        Self {
            ratings: raw.ratings,
            raw: raw.alpha,
            z: sums
                .standardised(DeviationKind::Population)
                .agreement()
                .alpha,
        }
    }
}

/// Adds a point, in place of those with as many ratings or more: ratings can be withdrawn.
pub(super) fn push(history: &mut Vec<AgreementPoint>, point: AgreementPoint) {
    while history
        .last()
        .is_some_and(|last| last.ratings >= point.ratings)
    {
        history.pop();
    }
    history.push(point);
    if history.len() > MAX_POINTS {
        let mut number = 0;
        history.retain(|_| {
            number += 1;
            number % 2 == 1 || number > MAX_POINTS
        });
    }
}

/// The number of ratings between two points, so that there are about half as many points as are kept.
pub(super) fn sampling_step(ratings: usize) -> usize {
    ratings.div_ceil(MAX_POINTS / 2).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_history_loses_every_other_point_and_keeps_its_ends() {
        let point = |ratings: usize| AgreementPoint {
            ratings,
            raw: Ok(0.0),
            z: Ok(0.0),
        };
        let mut history = Vec::new();
        for ratings in 0..1_000 {
            push(&mut history, point(ratings));
            assert!(history.len() <= MAX_POINTS, "{}", history.len());
            assert_eq!(history[0].ratings, 0);
            assert_eq!(history.last().unwrap().ratings, ratings);
        }
        // A rater withdrew.
        push(&mut history, point(3));
        assert_eq!(history.last().unwrap(), &point(3));
    }
}
