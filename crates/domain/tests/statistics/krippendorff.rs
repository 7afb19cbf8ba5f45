//! Krippendorff's alpha against the literature and the krippendorff package.

use domain::statistics::{
    Agreement, MeasurementLevel, UndefinedReason, agreement, agreement::mean_alpha,
};
use serde_json::Value;
use testdata::{golden, needs_released_data};

use crate::shared::{
    RatingMatrix, assert_close, assert_within, json_matrix, matrix, past_table, read_simpeval_past,
};

/// One row a rater, one column a unit; 0 is missing. Expected are the nominal, ordinal, interval
/// and ratio α to the three digits printed.
#[track_caller]
fn check<const UNITS: usize>(rows: &[[u8; UNITS]], expected: [f64; 4]) {
    let table = table(rows);
    for (level, expected) in MeasurementLevel::ALL.into_iter().zip(expected) {
        assert_within(
            agreement(&table, level).alpha.unwrap(),
            expected,
            0.0005,
            level.name(),
        );
    }
}

fn table<const UNITS: usize>(rows: &[[u8; UNITS]]) -> RatingMatrix {
    let cell = |x: &u8| (*x > 0).then_some(f64::from(*x));
    matrix(
        &rows
            .iter()
            .map(|row| row.iter().map(cell).collect())
            .collect::<Vec<_>>(),
    )
}

#[test]
fn krippendorff_2011_4x12() {
    check(
        &[
            [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
            [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
        ],
        [0.743, 0.815, 0.849, 0.797],
    );
}

const ENCYCLOPAEDIA: [[u8; 15]; 3] = [
    [0, 0, 0, 0, 0, 3, 4, 1, 2, 1, 1, 3, 3, 0, 3],
    [1, 0, 2, 1, 3, 3, 4, 3, 0, 0, 0, 0, 0, 0, 0],
    [0, 0, 2, 1, 3, 4, 4, 0, 2, 1, 1, 3, 3, 0, 4],
];

#[test]
fn encyclopaedia_article_3x15() {
    check(&ENCYCLOPAEDIA, [0.691, 0.807, 0.811, 0.809]);
}

#[test]
fn encyclopaedia_article_3x15_counts() {
    let result = agreement(&table(&ENCYCLOPAEDIA), MeasurementLevel::Nominal);
    let Agreement {
        raters,
        units,
        ratings,
        pairable_units,
        pairable_values,
        ..
    } = result;
    // Two columns are empty and one has a single rating.
    assert_eq!((raters, units, ratings), (3, 13, 27));
    assert_eq!((pairable_units, pairable_values), (12, 26));
}

#[test]
fn krippendorff_package_cases() {
    let golden = golden("krippendorff.json");
    for (name, case) in golden["cases"].as_object().unwrap() {
        // The ratings of the full cases are not in the file.
        if !case["raters_x_units"].is_null() {
            check_case(name, case, &json_matrix(&case["raters_x_units"]));
        }
    }
}

#[needs_released_data("simpeval")]
#[test]
fn krippendorff_package_on_simpeval_past() {
    let (golden, rows) = (golden("krippendorff.json"), read_simpeval_past());
    for (name, table) in [
        ("past_full_raw", past_table(&rows, |row| &row.raw)),
        ("past_full_z", past_table(&rows, |row| &row.z)),
    ] {
        check_case(name, &golden["cases"][name], &table);
    }
}

fn check_case(name: &str, case: &Value, table: &RatingMatrix) {
    for (level, expected) in case["expected_alpha"].as_object().unwrap() {
        let actual = agreement(table, level.parse().unwrap());
        match expected.as_f64() {
            Some(expected) => assert_close(actual.alpha.unwrap(), expected, name),
            None => assert_eq!(actual.alpha, Err(UndefinedReason::Constant), "{name}"),
        }
        if let Some(units) = case["n_units_pairable"].as_u64() {
            assert_eq!(actual.pairable_units as u64, units, "{name}");
            assert_eq!(actual.pairable_values, case["n_pairable_values"], "{name}");
        }
    }
}

#[needs_released_data("simpeval")]
#[test]
fn simpeval_past_released_ratings() {
    let rows = read_simpeval_past();
    let raw = past_table(&rows, |row| &row.raw);
    for (level, expected) in MeasurementLevel::ALL
        .into_iter()
        .zip([0.0301, 0.4779, 0.5088, 0.2831])
    {
        assert_within(
            agreement(&raw, level).alpha.unwrap(),
            expected,
            0.00005,
            level.name(),
        );
    }
    let z = agreement(&past_table(&rows, |row| &row.z), MeasurementLevel::Interval);
    assert_within(z.alpha.unwrap(), 0.7051, 0.00005, "z of the file");
    assert_eq!(
        (z.raters, z.units, z.pairable_units, z.pairable_values),
        (5, 2400, 2400, 12000)
    );
}

#[test]
fn what_cannot_be_computed_has_a_reason() {
    let alpha = |rows: &[[u8; 3]], level| agreement(&table(rows), level).alpha;
    for level in MeasurementLevel::ALL {
        assert_eq!(alpha(&[], level), Err(UndefinedReason::NoPairableUnit));
        assert_eq!(
            alpha(&[[1, 2, 0], [0, 0, 3]], level),
            Err(UndefinedReason::NoPairableUnit)
        );
        assert_eq!(
            alpha(&[[2, 2, 1], [2, 2, 0]], level),
            Err(UndefinedReason::Constant)
        );
    }
    let negative = matrix(&[vec![Some(-1.0), Some(1.0)], vec![Some(0.0), Some(1.0)]]);
    assert_eq!(
        agreement(&negative, MeasurementLevel::Ratio).alpha,
        Err(UndefinedReason::BelowZero)
    );
    // 0.1 + 0.1 + 0.1 is not 0.3: a mean of equal values may lie beside them.
    let tenths = matrix(&vec![vec![Some(0.1); 7]; 3]);
    assert_eq!(
        agreement(&tenths, MeasurementLevel::Interval).alpha,
        Err(UndefinedReason::Constant)
    );
}

#[test]
fn the_mean_over_groups_of_units_needs_an_alpha_of_each() {
    let table = table(&[[1, 2, 3, 1, 5], [1, 3, 3, 2, 0]]);
    let agreement_of = |units: &[usize]| {
        agreement(
            &table.retain(|_, unit| units.contains(unit)),
            MeasurementLevel::Interval,
        )
    };
    let groups = [agreement_of(&[0, 2]), agreement_of(&[1, 3])];
    let mean = (groups[0].alpha.unwrap() + groups[1].alpha.unwrap()) / 2.0;
    assert_close(mean_alpha(&groups).unwrap(), mean, "mean");
    let unpaired = agreement_of(&[4]);
    assert_eq!(
        mean_alpha([&groups[0], &unpaired]),
        Err(UndefinedReason::NoPairableUnit)
    );
}
