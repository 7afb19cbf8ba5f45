//! The history of agreement, rating by rating.

use std::collections::HashMap;

use domain::statistics::{
    IndexedRating,
    agreement::{AgreementPoint, RatingSequence},
    bootstrap::ResamplingOptions,
};
use store::rating_rows::RatingRow;

/// The fewest outputs rated by two or more raters for which α is drawn. With fewer, a single rating
/// moves it from one end of the scale to the other.
pub const FEWEST_PAIRABLE: usize = 20;
/// The number of resamples for the interval of a past point.
const PAST_REPLICATES: usize = 200;
/// The most points.
const MAX_POINTS: usize = 60;

/// The history of α: points in the order of their ratings, the last one the present. They are computed from the present
/// values of ratings, in the order in which these were given.
pub(crate) fn agreement_history<'a>(
    rows: impl Iterator<Item = &'a RatingRow>,
) -> Vec<AgreementPoint> {
    let ratings = order(rows.collect());
    let resampling = ResamplingOptions {
        replicates: PAST_REPLICATES,
        ..ResamplingOptions::default()
    };

    let all = ratings.entries.len();
    let step = all.div_ceil(MAX_POINTS).max(1);
    let past = (step..all).step_by(step);
    let counts = past.chain((all > 0).then_some(all));
    counts
        .map(|count| ratings.agreement_of_first(count, resampling))
        .collect()
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

/// The points to draw, by the number of outputs rated by two or more. Of several points with the same number, only the
/// newest is drawn, and none below [`FEWEST_PAIRABLE`].
#[must_use]
pub fn drawable(history: &[AgreementPoint]) -> Vec<AgreementPoint> {
    let mut points = Vec::<AgreementPoint>::new();
    let enough = history
        .iter()
        .filter(|point| point.pairable >= FEWEST_PAIRABLE);
    for point in enough {
        // The number never falls, since each point has the ratings of those before it.
        if points
            .last()
            .is_some_and(|last| last.pairable == point.pairable)
        {
            points.pop();
        }
        points.push(*point);
    }
    points
}

#[cfg(test)]
mod tests {
    use domain::{
        ids::{OutputId, RaterId, SourceId, SystemId},
        statistics::UndefinedReason,
    };
    use uuid::Uuid;

    use super::*;

    /// Two raters' ratings of outputs of ten sources, one output after the other.
    fn rows(count: u128) -> Vec<RatingRow> {
        let row = |number: u128| RatingRow {
            rater: RaterId(Uuid::from_u128(number % 2)),
            output: OutputId(Uuid::from_u128(number / 2)),
            source: SourceId(Uuid::from_u128(number / 2 % 10)),
            system: SystemId(Uuid::nil()),
            dimension: "overall".into(),
            value: (number * 37 % 90 + number % 2 * 5) as f64,
            recorded_at: number as i64,
            shared: false,
        };
        (0..count).map(row).collect()
    }

    #[test]
    fn each_point_has_the_ratings_before_it() {
        let rows = rows(150);
        let history = agreement_history(rows.iter().rev());
        let counts: Vec<_> = history.iter().map(|point| point.ratings).collect();
        assert_eq!(counts, (1..=50).map(|point| 3 * point).collect::<Vec<_>>());

        let early = agreement_history(rows[..90].iter());
        assert_eq!(history[29], early[early.len() - 1]);
        assert_eq!(agreement_history([].into_iter()), []);
    }

    #[test]
    fn few_pairs_are_not_drawn_and_numbers_ascend() {
        let point = |(ratings, pairable)| AgreementPoint {
            ratings,
            pairable,
            raw: Ok(0.0),
            z: Ok(0.0),
            z_interval: Err(UndefinedReason::Constant),
        };
        let history = [(10, 0), (25, 19), (30, 20), (40, 20), (50, 31), (60, 40)].map(point);

        let drawn: Vec<_> = drawable(&history)
            .iter()
            .map(|point| (point.ratings, point.pairable))
            .collect();
        assert_eq!(drawn, [(40, 20), (50, 31), (60, 40)]);
        assert!(drawable(&history[..2]).is_empty());
    }
}
