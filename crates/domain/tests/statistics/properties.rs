//! Properties of the statistics for any ratings.

use domain::statistics::{
    DeviationKind, IndexedRating, MeasurementLevel, RatingTable, RatingTableError, UndefinedReason,
    agreement, standardise,
};
use proptest::prelude::*;

use crate::shared::{RatingMatrix, assert_close};

/// Up to six raters on up to eight units, on a scale with ties, with gaps.
fn entries() -> impl Strategy<Value = Vec<(usize, usize, f64)>> {
    prop::collection::btree_map((0..6_usize, 0..8_usize), 0..=10_u8, 0..40).prop_map(|cells| {
        cells
            .into_iter()
            .map(|((r, u), x)| (r, u, f64::from(x) * 10.0))
            .collect()
    })
}

fn table(entries: &[(usize, usize, f64)]) -> RatingMatrix {
    RatingTable::new(entries.iter().copied()).unwrap()
}

fn alphas(table: &RatingMatrix) -> [Result<f64, UndefinedReason>; 4] {
    MeasurementLevel::ALL.map(|level| agreement(table, level).alpha)
}

#[track_caller]
fn same(found: Result<f64, UndefinedReason>, expected: Result<f64, UndefinedReason>) {
    match (found, expected) {
        (Ok(actual), Ok(expected)) => assert_close(actual, expected, "alpha"),
        _ => assert_eq!(found, expected),
    }
}

/// The definition, pair by pair.
fn alpha_by_pairs(
    entries: &[(usize, usize, f64)],
    level: MeasurementLevel,
) -> Result<f64, UndefinedReason> {
    let raters_of = |unit| entries.iter().filter(|e| e.1 == unit).count();
    let pairable: Vec<_> = entries.iter().filter(|e| raters_of(e.1) > 1).collect();
    let between = |low: f64, high: f64| {
        let within = pairable
            .iter()
            .filter(|e| low <= e.2 && e.2 <= high)
            .count() as f64;
        let ends = pairable
            .iter()
            .filter(|e| e.2 == low || e.2 == high)
            .count() as f64;
        within - ends / 2.0
    };
    let delta = |x: f64, y: f64| match level {
        _ if x == y => 0.0,
        MeasurementLevel::Nominal => 1.0,
        MeasurementLevel::Ordinal => between(x.min(y), x.max(y)),
        MeasurementLevel::Interval => x - y,
        MeasurementLevel::Ratio => (x - y) / (x + y),
    };
    let (mut observed, mut expected) = (0.0, 0.0);
    for (i, a) in pairable.iter().enumerate() {
        for (j, b) in pairable.iter().enumerate() {
            let square = delta(a.2, b.2).powi(2);
            if i != j && a.1 == b.1 {
                observed += square / (raters_of(a.1) - 1) as f64;
            }
            expected += square;
        }
    }
    let n = pairable.len() as f64;
    match pairable.is_empty() {
        true => Err(UndefinedReason::NoPairableUnit),
        false if expected == 0.0 => Err(UndefinedReason::Constant),
        false => Ok(1.0 - (n - 1.0) * observed / expected),
    }
}

proptest! {
    #[test]
    fn alpha_is_what_its_definition_says(entries in entries()) {
        let table = table(&entries);
        for level in MeasurementLevel::ALL {
            same(agreement(&table, level).alpha, alpha_by_pairs(&entries, level));
        }
    }

    #[test]
    fn alpha_does_not_depend_on_who_is_first(
        entries in entries(),
        raters in Just((0..6).collect::<Vec<_>>()).prop_shuffle(),
        units in Just((0..8).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let renamed: Vec<_> = entries.iter().map(|(r, u, x)| (raters[*r], units[*u], *x)).collect();
        for (found, expected) in alphas(&table(&renamed)).into_iter().zip(alphas(&table(&entries))) {
            same(found, expected);
        }
    }

    #[test]
    fn the_order_of_entries_changes_nothing(
        (entries, shuffled) in entries().prop_flat_map(|e| (Just(e.clone()), Just(e).prop_shuffle()))
    ) {
        prop_assert_eq!(table(&entries), table(&shuffled));
    }

    #[test]
    fn interval_alpha_keeps_under_affine_maps(
        entries in entries(), scale in 0.01..100.0_f64, shift in -1e4..1e4_f64
    ) {
        let mapped: Vec<_> = entries.iter().map(|(r, u, x)| (*r, *u, x * scale + shift)).collect();
        let alpha = agreement(&table(&mapped), MeasurementLevel::Interval).alpha;
        same(alpha, agreement(&table(&entries), MeasurementLevel::Interval).alpha);
    }

    #[test]
    fn alpha_is_one_on_full_agreement(
        values in prop::collection::vec(0.0..100.0_f64, 2..10), raters in 2..5_usize
    ) {
        let all = (0..raters).flat_map(|r| values.iter().enumerate().map(move |(u, x)| (r, u, *x)));
        for alpha in alphas(&table(&all.collect::<Vec<_>>())) {
            prop_assert_eq!(alpha, Ok(1.0));
        }
    }

    #[test]
    fn alpha_never_exceeds_one_and_is_never_nan(
        cells in prop::collection::btree_map((0..4_usize, 0..4_usize), any::<f64>(), 0..16)
    ) {
        let Ok(table) = RatingTable::new(cells.into_iter().map(|((r, u), x)| (r, u, x))) else {
            return Ok(());
        };
        for alpha in alphas(&table).into_iter().flatten() {
            prop_assert!(alpha <= 1.0, "{}", alpha);
        }
    }

    #[test]
    fn standard_scores_have_mean_zero_and_deviation_one(entries in entries()) {
        let raw = table(&entries);
        let standardised = standardise(&raw, DeviationKind::Population);
        for (rater, scale) in standardised.scales.iter().enumerate() {
            let z: Vec<_> = standardised.z.entries().filter(|e| e.0 == rater).map(|e| e.2).collect();
            if scale.is_err() {
                prop_assert!(z.is_empty());
                continue;
            }
            let n = z.len() as f64;
            assert_close(z.iter().sum::<f64>() / n, 0.0, "mean");
            assert_close(z.iter().map(|x| x * x).sum::<f64>() / n, 1.0, "variance");
        }
    }

    #[test]
    fn a_table_by_indices_is_that_by_keys(
        entries in prop::collection::vec((0..6_u32, 0..8_u32, 0..3_u8), 0..40),
        largest in any::<bool>(),
    ) {
        // In no order, and some without a rating.
        let (raters, units) = (["d", "a", "f", "b", "e", "c"], [3, 1, 8, 5, 7, 2, 6, 4]);
        let value = |x: u8| match x {
            0 if largest => 1e101,
            0 => -0.0,
            x => f64::from(x),
        };
        let by_key = entries.iter().map(|(r, u, x)| {
            (raters[*r as usize], units[*u as usize], value(*x))
        });
        let indexed: Vec<_> = entries
            .iter()
            .map(|(rater, unit, x)| IndexedRating { rater: *rater, unit: *unit, value: value(*x) })
            .collect();
        prop_assert_eq!(
            RatingTable::from_indices(&raters, &units, &indexed),
            RatingTable::new(by_key)
        );
    }

    #[test]
    fn a_table_holds_each_rating_once(entries in entries()) {
        let twice: Vec<_> = entries.iter().chain(&entries).copied().collect();
        prop_assert_eq!(table(&twice), table(&entries));
        if let Some((r, u, x)) = entries.first().copied() {
            let conflict: Vec<_> = entries.iter().copied().chain([(r, u, x + 1.0)]).collect();
            let expected = RatingTableError::Conflict { first: 0, second: entries.len() };
            prop_assert_eq!(RatingTable::new(conflict), Err(expected));
        }
    }
}
