//! The history of agreement, rating by rating.

use std::collections::HashMap;

use domain::statistics::{
    IndexedRating,
    agreement::{AgreementPoint, RatingSequence},
    bootstrap::ResamplingOptions,
};
use store::rating_rows::RatingRow;

use super::{CacheKey, FigureKey, StudySnapshot};

/// The fewest outputs rated by two or more raters for which α is drawn. With fewer, a single rating
/// moves it from one end of the scale to the other.
pub const FEWEST_PAIRABLE: usize = 20;
/// The number of resamples for the interval of a past point.
const PAST_REPLICATES: usize = 200;

/// The most points that are kept; above that, every other one is dropped.
const MAX_POINTS: usize = 120;

/// The key of the history of α on a dimension: points in the order of their ratings, the last one the present. Points
/// that were computed before are as they were then. Others are computed from the present values of ratings, in the
/// order in which these were given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgreementHistoryKey {
    /// The dimension of the ratings.
    pub dimension: String,
}

impl CacheKey for AgreementHistoryKey {
    type Value = Vec<AgreementPoint>;
}

impl FigureKey for AgreementHistoryKey {
    fn compute(&self, snapshot: &StudySnapshot) -> Vec<AgreementPoint> {
        let ratings = order(snapshot.own_ratings(&self.dimension).collect());
        snapshot.extend_history(&self.dimension, |history| extend(history, &ratings))
    }
}

/// Adds the points from the last one up to the present.
fn extend(history: &mut Vec<AgreementPoint>, ratings: &RatingSequence) {
    let all = ratings.entries.len();
    // Raters may have withdrawn ratings.
    history.retain(|point| point.ratings < all);

    let first = history.last().map_or(0, |point| point.ratings);
    let step = sampling_step(all);
    let past = (first + step..all).step_by(step);
    for ratings_then in past {
        push(history, point(ratings, ratings_then, PAST_REPLICATES));
    }

    if all > 0 {
        push(
            history,
            point(ratings, all, ResamplingOptions::default().replicates),
        );
    }
}

/// The ratings in the order in which they were given.
fn order(mut rows: Vec<&RatingRow>) -> RatingSequence {
    rows.sort_by_key(|row| row.recorded_at);

    // In the order of their ids, in which the other figures draw them.
    let mut sources: Vec<_> = rows.iter().map(|row| row.source).collect();
    sources.sort_unstable();
    sources.dedup();

    let mut sequence = RatingSequence::default();
    let (mut raters, mut outputs) = (HashMap::new(), HashMap::new());
    for row in rows {
        let (next_rater, next_output) = (raters.len() as u32, outputs.len() as u32);
        let rater = *raters.entry(row.rater).or_insert(next_rater);
        let unit = *outputs.entry(row.output).or_insert_with(|| {
            let source = sources.binary_search(&row.source);
            sequence
                .sources
                .push(source.expect("all sources are listed"));
            next_output
        });
        sequence.entries.push(IndexedRating {
            rater,
            unit,
            value: row.value,
        });
    }
    sequence.raters = raters.len();
    sequence
}

/// Agreement when there were only the first `count` ratings.
fn point(ratings: &RatingSequence, count: usize, replicates: usize) -> AgreementPoint {
    let resampling = ResamplingOptions {
        replicates,
        ..ResamplingOptions::default()
    };
    ratings.agreement_of_first(count, resampling)
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
fn push(history: &mut Vec<AgreementPoint>, point: AgreementPoint) {
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
fn sampling_step(ratings: usize) -> usize {
    ratings.div_ceil(MAX_POINTS / 2).max(1)
}

#[cfg(test)]
mod tests {
    use domain::{
        ids::{OutputId, RaterId, SourceId, SystemId},
        statistics::UndefinedReason,
    };
    use uuid::Uuid;

    use super::*;

    fn point(ratings: usize, pairable: usize) -> AgreementPoint {
        AgreementPoint {
            ratings,
            pairable,
            raw: Ok(0.0),
            z: Ok(0.0),
            z_interval: Err(UndefinedReason::Constant),
        }
    }

    /// Two raters' ratings of 30 outputs of ten sources, one output after the other.
    fn rows() -> Vec<RatingRow> {
        let row = |number: u128| RatingRow {
            rater: RaterId(Uuid::from_u128(number % 2)),
            output: OutputId(Uuid::from_u128(number / 2)),
            source: SourceId(Uuid::from_u128(number / 6)),
            system: SystemId(Uuid::nil()),
            dimension: "overall".into(),
            value: (number * 37 % 90 + number % 2 * 5) as f64,
            recorded_at: number as i64,
            shared: false,
        };
        (0..60).map(row).collect()
    }

    fn ordered(rows: &[RatingRow]) -> RatingSequence {
        order(rows.iter().rev().collect())
    }

    #[test]
    fn a_history_is_that_of_the_first_ratings_and_goes_on_from_its_last_point() {
        let mut rows = rows();
        let mut history = vec![];
        extend(&mut history, &ordered(&rows[..50]));
        let counts: Vec<_> = history.iter().map(|point| point.ratings).collect();
        assert_eq!(counts, (1..=50).collect::<Vec<_>>());
        let usual = ResamplingOptions::default().replicates;
        assert_eq!(
            history[29],
            super::point(&ordered(&rows[..30]), 30, PAST_REPLICATES)
        );
        assert_eq!(history[49], super::point(&ordered(&rows), 50, usual));
        assert_eq!(history[39].pairable, 20);
        assert!(history[39].z_interval.is_ok());

        // A value that changes later does not change what was.
        let before = history.clone();
        rows[0].value = 100.0;
        extend(&mut history, &ordered(&rows));
        assert_eq!(history[..50], before[..]);
        assert_eq!(
            history[59].raw,
            super::point(&ordered(&rows), 60, usual).raw
        );
        assert_eq!(history.len(), 60);

        // A rater withdraws.
        rows.retain(|row| row.rater == RaterId(Uuid::nil()));
        extend(&mut history, &ordered(&rows));
        let last = history.last().expect("there are ratings");
        assert_eq!((last.ratings, last.pairable), (30, 0));
        extend(&mut history, &ordered(&[]));
        assert!(history.is_empty());
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
