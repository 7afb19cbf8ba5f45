//! How agreement came to be what it is.

use domain::statistics::{DeviationKind, UndefinedReason};

use super::dimension_sums::OutputRatingSums;

/// Points that are kept at most; where there are more, every other one goes.
const MOST: usize = 120;

/// α at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AgreementPoint {
    /// The ratings up to then.
    pub ratings: usize,
    /// α of the ratings as they were entered.
    pub raw: Result<f64, UndefinedReason>,
    /// α of their z-scores by the scales of that time.
    pub z: Result<f64, UndefinedReason>,
}

impl AgreementPoint {
    pub(super) fn from_sums(all: &OutputRatingSums) -> Self {
        let raw = all.raw().agreement();
        Self {
            ratings: raw.ratings,
            raw: raw.alpha,
            z: all
                .standardised(DeviationKind::Population)
                .agreement()
                .alpha,
        }
    }
}

/// Adds a point, in the place of those with as many ratings or more.
pub(super) fn push(history: &mut Vec<AgreementPoint>, point: AgreementPoint) {
    while history
        .last()
        .is_some_and(|last| last.ratings >= point.ratings)
    {
        history.pop();
    }
    history.push(point);
    if history.len() > MOST {
        let mut at = 0;
        history.retain(|_| {
            at += 1;
            at % 2 == 1 || at > MOST
        });
    }
}

/// After how many of `ratings` a point is taken, so that there are about half as many as are kept.
pub(super) fn step(ratings: usize) -> usize {
    ratings.div_ceil(MOST / 2).max(1)
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
            assert!(history.len() <= MOST, "{}", history.len());
            assert_eq!(history[0].ratings, 0);
            assert_eq!(history.last().unwrap().ratings, ratings);
        }
        // Somebody withdrew.
        push(&mut history, point(3));
        assert_eq!(history.last().unwrap(), &point(3));
    }
}
