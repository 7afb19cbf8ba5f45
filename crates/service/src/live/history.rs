//! The history of agreement, rating by rating.

use domain::statistics::{
    DeviationKind, UndefinedReason,
    bootstrap::{BootstrapInterval, ResamplingOptions},
    live::ResamplingBlock,
};

use super::dimension_sums::OutputRatingSums;

/// The fewest outputs rated by two or more raters for which α is drawn. With fewer, a single rating
/// moves it from one end of the scale to the other.
pub const FEWEST_PAIRABLE: usize = 20;
/// The number of resamples for the interval of a past point.
const PAST_REPLICATES: usize = 200;

/// The most points that are kept; above that, every other one is dropped.
const MAX_POINTS: usize = 120;

/// Agreement at one point in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AgreementPoint {
    /// The number of ratings up to this point.
    pub ratings: usize,
    /// The number of outputs rated by two or more raters, from which α is computed.
    pub pairable: usize,
    /// α of the ratings as they were entered.
    pub raw: Result<f64, UndefinedReason>,
    /// α of their z-scores, on the scales of that time.
    pub z: Result<f64, UndefinedReason>,
    /// The bootstrap interval of `z` over sources; `None` below [`FEWEST_PAIRABLE`] outputs.
    pub z_interval: Option<BootstrapInterval>,
}

impl AgreementPoint {
    /// Computes agreement from these sums, and its interval from their blocks.
    pub(super) fn from_sums<'a>(
        sums: &OutputRatingSums,
        blocks: impl Iterator<Item = &'a ResamplingBlock>,
    ) -> Self {
        let (raw, z) = (
            sums.raw().agreement(),
            sums.standardised(DeviationKind::Population),
        );
        let resampling = ResamplingOptions {
            replicates: PAST_REPLICATES,
            ..ResamplingOptions::default()
        };

        let enough = raw.pairable_units >= FEWEST_PAIRABLE;

        Self {
            ratings: raw.ratings,
            pairable: raw.pairable_units,
            raw: raw.alpha,
            z: z.agreement().alpha,
            z_interval: enough
                .then(|| z.interval(blocks, resampling).ok())
                .flatten(),
        }
    }
}

/// The points to draw, by the number of outputs rated by two or more. Of several points with the same number, only the
/// newest is drawn, and none below [`FEWEST_PAIRABLE`].
#[must_use]
pub fn drawable(history: &[AgreementPoint]) -> Vec<AgreementPoint> {
    let mut points = Vec::<AgreementPoint>::new();
    for point in history
        .iter()
        .filter(|point| point.pairable >= FEWEST_PAIRABLE)
    {
        // When a rater withdraws, pairs are lost: the line continues at the lower number.
        while points
            .last()
            .is_some_and(|last| last.pairable >= point.pairable)
        {
            points.pop();
        }

        points.push(*point);
    }
    points
}

/// Adds a point. It replaces points with as many ratings or more, because ratings can be withdrawn.
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

/// The number of ratings between two points, so that there are about half of [`MAX_POINTS`].
pub(super) fn sampling_step(ratings: usize) -> usize {
    ratings.div_ceil(MAX_POINTS / 2).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(ratings: usize, pairable: usize) -> AgreementPoint {
        AgreementPoint {
            ratings,
            pairable,
            raw: Ok(0.0),
            z: Ok(0.0),
            z_interval: None,
        }
    }

    #[test]
    fn few_pairs_are_not_drawn_and_numbers_ascend() {
        let history = [
            (10, 0),
            (25, 19),
            (30, 20),
            (40, 20),
            (50, 31),
            (60, 40),
            (55, 33),
        ];
        let history = history.map(|(ratings, pairable)| point(ratings, pairable));

        let drawn: Vec<_> = drawable(&history)
            .iter()
            .map(|point| (point.ratings, point.pairable))
            .collect();
        assert_eq!(drawn, [(40, 20), (50, 31), (55, 33)]);
        assert!(drawable(&history[..2]).is_empty());
    }

    #[test]
    fn a_long_history_loses_every_other_point_and_keeps_its_ends() {
        let point = |ratings: usize| point(ratings, 0);
        let mut history = Vec::new();
        for ratings in 0..1_000 {
            push(&mut history, point(ratings));
            assert!(history.len() <= MAX_POINTS, "{}", history.len());
            assert_eq!(history[0].ratings, 0);
            assert_eq!(history.last().unwrap().ratings, ratings);
        }

        // A rater withdrew, so there are fewer ratings.
        push(&mut history, point(3));
        assert_eq!(history.last().unwrap(), &point(3));
    }
}
