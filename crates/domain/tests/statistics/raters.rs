//! Agreement of pairs and without each rater, against tables of the same ratings.

use std::collections::BTreeMap;

use domain::statistics::{
    Agreement, DeviationKind, MeasurementLevel, RatingTable, UndefinedReason,
    agreement::{agreement, leave_one_out, pairwise_alpha},
    mean, standardise,
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

#[needs_released_data("simpeval")]
#[test]
fn simpeval_past_pairs_and_others() {
    let rows = read_simpeval_past();
    let raw = past_table(&rows, |row| &row.raw);
    check(&raw, 100.0);
    check(&standardise(&raw, DeviationKind::Population).z, 12.0);
}
