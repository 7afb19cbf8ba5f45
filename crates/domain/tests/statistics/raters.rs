//! Agreement of pairs and without each rater, against tables of the same ratings.

use std::collections::BTreeMap;

use domain::{
    random::SeededRandom,
    statistics::{
        Agreement, DeviationKind, IndexedRating, MeasurementLevel, RatingTable, UndefinedReason,
        agreement::{AlphaBootstrap, RatingSequence, agreement, leave_one_out, pairwise_alpha},
        bootstrap::ResamplingOptions,
        mean, standardise,
    },
};
use proptest::prelude::*;
use testdata::needs_released_data;

use crate::shared::{assert_within, past_table, read_simpeval_past};

/// Ratings of up to five raters on up to eight units.
fn ratings() -> impl Strategy<Value = RatingTable<u8, u8>> {
    let value = prop_oneof![
        (0..=10_u8).prop_map(|x| f64::from(x) * 10.0),
        (0..=1000_u16).prop_map(|x| f64::from(x) / 10.0),
    ];
    let rows = prop::collection::btree_map((0..5_u8, 0..8_u8), value, 0..40);
    rows.prop_map(|rows: BTreeMap<(u8, u8), f64>| {
        RatingTable::new(rows.iter().map(|((r, u), x)| (*r, *u, *x))).unwrap()
    })
}

/// Compares both figures with those of tables that hold the ratings of these raters alone. `size` is how large the values
/// can get.
fn check<R, U>(values: &RatingTable<R, U>, size: f64)
where
    R: Ord + Clone + std::fmt::Debug,
    U: Ord + Clone,
{
    let raters = values.raters();
    for (left_out, others) in raters.iter().zip(leave_one_out(values)) {
        same(others, &values.retain(|rater, _| rater != left_out), size);
    }

    let pairs = pairwise_alpha(values);
    for first in 0..raters.len() {
        for second in first + 1..raters.len() {
            let both =
                values.retain(|rater, _| *rater == raters[first] || *rater == raters[second]);
            let expected = agreement(&both, MeasurementLevel::Interval);
            match pairs.iter().find(|pair| pair.raters == (first, second)) {
                Some(pair) => {
                    let found = Agreement {
                        alpha: pair.alpha,
                        ..expected
                    };
                    same(found, &both, size);
                    assert_eq!(pair.units, expected.pairable_units);
                }
                None => assert_eq!(expected.alpha, Err(UndefinedReason::NoPairableUnit)),
            }
        }
    }
}

/// Equal to 1e-9, and less where the pairable values are nearly equal: sums of squares lose as many
/// digits as the spread is smaller than the size.
#[track_caller]
fn same<R, U>(found: Agreement, values: &RatingTable<R, U>, size: f64) {
    let expected = agreement(values, MeasurementLevel::Interval);
    assert_eq!(
        Agreement {
            alpha: expected.alpha,
            ..found
        },
        expected
    );
    let pairable = values
        .by_unit()
        .map(|(_, unit)| unit.values)
        .filter(|unit| unit.len() > 1);
    let pairable: Vec<f64> = pairable.flatten().copied().collect();
    let mean = mean(&pairable);
    let variance = pairable.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / pairable.len() as f64;
    let size_over_spread = size * size / variance;
    match (found.alpha, expected.alpha) {
        (Ok(actual), Ok(expected)) => {
            assert_within(actual, expected, 1e-9 + 1e-14 * size_over_spread, "alpha");
        }
        (Err(UndefinedReason::Constant), Ok(_)) => assert!(size_over_spread > 1e11, "{variance}"),
        (found, expected) => assert_eq!(found, expected),
    }
}

proptest! {
    #[test]
    fn pairs_and_the_others_are_those_of_their_ratings(raw in ratings()) {
        check(&raw, 100.0);
        for deviation in [DeviationKind::Population, DeviationKind::Sample] {
            let standardised = standardise(&raw, deviation);
            let scales = standardised.scales.iter().flatten();
            let least_sd = scales.map(|scale| scale.sd).fold(100.0, f64::min);
            check(&standardised.z, 100.0 / least_sd);
        }
    }
}

proptest! {
    #[test]
    fn early_agreement_is_that_of_a_table_of_the_first_ratings(
        raw in ratings(),
        seed in any::<u64>(),
        share in 0.0..=1.0,
    ) {
        let mut entries: Vec<_> = raw.entries().collect();
        SeededRandom::new(seed).shuffle(&mut entries);
        let count = (entries.len() as f64 * share) as usize;
        let source = |unit: &u8| usize::from(unit / 2);
        let sequence = RatingSequence {
            raters: raw.raters().len(),
            sources: raw.units().iter().map(source).collect(),
            entries: entries
                .iter()
                .map(|(rater, unit, value)| IndexedRating {
                    rater: *rater as u32,
                    unit: *unit as u32,
                    value: *value,
                })
                .collect(),
        };
        let resampling = ResamplingOptions {
            replicates: 20,
            ..ResamplingOptions::default()
        };
        let found = sequence.agreement_of_first(count, resampling);

        let first = entries[..count].iter();
        let first = RatingTable::new(
            first.map(|(rater, unit, value)| (raw.raters()[*rater], raw.units()[*unit], *value)),
        )
        .unwrap();
        let z = standardise(&first, DeviationKind::Population);
        let whole = agreement(&first, MeasurementLevel::Interval);
        prop_assert_eq!((found.ratings, found.pairable), (count, whole.pairable_units));
        same(Agreement { alpha: found.raw, ..whole }, &first, 100.0);
        let least_sd = z.scales.iter().flatten().map(|scale| scale.sd).fold(100.0, f64::min);
        let whole = agreement(&z.z, MeasurementLevel::Interval);
        same(Agreement { alpha: found.z, ..whole }, &z.z, 100.0 / least_sd);

        let bootstrap = AlphaBootstrap::new(&z.z, MeasurementLevel::Interval, source);
        match (found.z_interval, bootstrap.interval(resampling)) {
            (Ok(found), Ok(expected)) if least_sd > 1.0 => {
                assert_within(found.low, expected.low, 1e-6, "lower end");
                assert_within(found.high, expected.high, 1e-6, "upper end");
            }
            (found, expected) => prop_assert_eq!(found.is_ok(), expected.is_ok()),
        }
    }
}

#[needs_released_data("simpeval")]
#[test]
fn simpeval_past_pairs_and_others() {
    let rows = read_simpeval_past();
    let raw = past_table(&rows, |row| &row.raw);
    check(&raw, 100.0);
    check(&standardise(&raw, DeviationKind::Population).z, 12.0);
}
