//! The distance between an annotator's scores of the same output, which they scored again without being told.

use crate::{score::RatingScale, statistics::mean};

/// The fewest repeated outputs that are summarised: with fewer, an annotator could find out which they are.
const FEWEST_REPEATS: usize = 3;

/// An annotator's scores of repeated outputs, compared with their first ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RepeatConsistency {
    /// The number of repeated outputs, at least three.
    pub outputs: usize,
    /// The mean distance of the two scores of an output, in points of the scale.
    pub mean_distance: f64,
}

impl RepeatConsistency {
    /// The consistency from the pairs of scores; `None` below three pairs.
    #[must_use]
    pub fn from_pairs(pairs: &[(f64, f64)]) -> Option<Self> {
        let distances = pairs.iter().map(|(one, other)| (one - other).abs());
        let distances: Vec<f64> = distances.collect();
        (distances.len() >= FEWEST_REPEATS).then(|| Self {
            outputs: distances.len(),
            mean_distance: mean(&distances),
        })
    }

    /// The consistency as a sentence for the annotator.
    #[must_use]
    pub fn sentence(&self, scale: RatingScale) -> String {
        let outputs = self.outputs;
        // Whole points on a long scale: decimals would be more exact than the figure.
        let decimals = usize::from(scale.high - scale.low < 50);
        let points = format!("{:.decimals$}", self.mean_distance);
        let points = match points.as_str() {
            "0" | "0.0" => {
                return format!("You scored {outputs} repeated outputs again: each time the same.");
            }
            "1" | "1.0" => "1 point".to_owned(),
            points => format!("{points} points"),
        };
        format!("You scored {outputs} repeated outputs again: on average {points} apart.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_repeats_are_not_told() {
        assert_eq!(RepeatConsistency::from_pairs(&[]), None);
        assert_eq!(
            RepeatConsistency::from_pairs(&[(50.0, 60.0), (1.0, 1.0)]),
            None
        );
    }

    #[test]
    fn the_distance_is_told_in_points() {
        let check = |pairs: &[(f64, f64)], scale, expect: &str| {
            let consistency = RepeatConsistency::from_pairs(pairs).expect("three pairs");
            assert_eq!(consistency.sentence(scale), expect);
        };
        check(
            &[(70.0, 76.0), (50.0, 48.0), (10.0, 14.0)],
            RatingScale::PERCENT,
            "You scored 3 repeated outputs again: on average 4 points apart.",
        );
        check(
            &[(70.0, 71.0), (50.0, 49.0), (10.0, 11.0)],
            RatingScale::PERCENT,
            "You scored 3 repeated outputs again: on average 1 point apart.",
        );
        check(
            &[(1.0, 1.0), (2.0, 2.0), (0.0, 0.0)],
            RatingScale::LIKERT,
            "You scored 3 repeated outputs again: each time the same.",
        );
        check(
            &[(1.0, 2.0), (2.0, 2.0), (0.0, 0.0), (1.0, 0.0)],
            RatingScale::LIKERT,
            "You scored 4 repeated outputs again: on average 0.5 points apart.",
        );
    }
}
