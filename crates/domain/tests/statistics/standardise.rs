//! Standard scores against numpy and the released ones.

use domain::statistics::{
    DeviationKind, MeasurementLevel, UndefinedReason, agreement, standardise,
    standardise::RaterScale,
};
use testdata::{golden, needs_released_data};

use crate::shared::{assert_close, assert_within, matrix, numbers, past_table, read_simpeval_past};

#[test]
fn numpy_per_rater_population() {
    let golden = golden("zscore.json");
    let raw = crate::shared::json_matrix(&golden["raters_x_units"]);
    let standardised = standardise(&raw, DeviationKind::Population);
    let expected = crate::shared::json_matrix(&golden["expected_z_ddof0"]);
    assert_eq!(standardised.z.len(), expected.len());
    for (found, expected) in standardised.z.entries().zip(expected.entries()) {
        assert_eq!((found.0, found.1), (expected.0, expected.1));
        assert_close(found.2, expected.2, "z");
    }
}

/// The released z-scores stand on 2,500 rows, of which 2,400 were released.
#[needs_released_data("simpeval")]
#[test]
fn simpeval_past_released_z_with_the_released_means() {
    let (golden, rows) = (golden("zscore.json"), read_simpeval_past());
    let means = numbers(&golden["file_case"]["use_mean"]);
    let sds = numbers(&golden["file_case"]["use_std"]);
    for row in &rows {
        for rater in 0..5 {
            let scale = RaterScale {
                mean: means[rater],
                sd: sds[rater],
            };
            assert_within(scale.z(row.raw[rater]), row.z[rater], 1e-12, "released z");
        }
    }
}

#[needs_released_data("simpeval")]
#[test]
fn simpeval_past_recomputed_z() {
    let rows = read_simpeval_past();
    let z = standardise(
        &past_table(&rows, |row| &row.raw),
        DeviationKind::Population,
    )
    .z;
    assert_within(
        agreement(&z, MeasurementLevel::Interval).alpha.unwrap(),
        0.7049,
        0.00005,
        "recomputed z",
    );
}

#[test]
fn sample_deviation_divides_by_one_less() {
    let table = matrix(&[vec![Some(1.0), Some(2.0), Some(3.0)]]);
    let sd = |deviation| standardise(&table, deviation).scales[0].unwrap().sd;
    assert_close(
        sd(DeviationKind::Population),
        (2.0_f64 / 3.0).sqrt(),
        "population",
    );
    assert_close(sd(DeviationKind::Sample), 1.0, "sample");
}

#[test]
fn a_constant_rater_is_explained_and_left_out() {
    let x = |rating: f64| Some(rating);
    let table = matrix(&[
        vec![x(10.0), x(20.0), x(60.0)],
        vec![x(0.1), x(0.1), x(0.1)],
        vec![None, None, x(50.0)],
        vec![x(12.0), x(30.0), x(40.0)],
    ]);
    let standardised = standardise(&table, DeviationKind::Population);
    assert_eq!(standardised.scales[1], Err(UndefinedReason::Constant));
    assert_eq!(
        standardised.scales[2],
        Err(UndefinedReason::TooFew {
            found: 1,
            needed: 2
        })
    );
    assert_eq!(standardised.z.len(), 6);
    let agreement = agreement(&standardised.z, MeasurementLevel::Interval);
    assert_eq!((agreement.raters, agreement.pairable_values), (2, 6));
}
