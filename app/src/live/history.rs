//! How agreement came to be what it is.

use domain::statistics::{Deviation, Undefined};

use super::scored::All;

/// Points that are kept at most; where there are more, every other one goes.
const MOST: usize = 120;

/// α at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The ratings up to then.
    pub ratings: usize,
    /// α of the ratings as they were entered.
    pub raw: Result<f64, Undefined>,
    /// α of their z-scores by the scales of that time.
    pub z: Result<f64, Undefined>,
}

impl Point {
    pub(super) fn of(all: &All) -> Self {
        let raw = all.raw().agreement();
        Self {
            ratings: raw.ratings,
            raw: raw.alpha,
            z: all.standardised(Deviation::Population).agreement().alpha,
        }
    }
}

/// Adds a point, in the place of those with as many ratings or more.
pub(super) fn push(history: &mut Vec<Point>, point: Point) {
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
        let point = |ratings: usize| Point {
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
