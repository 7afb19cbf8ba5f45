//! The released ratings, and how figures are compared.

use domain::statistics::RatingTable;
use serde_json::Value;

/// A table whose raters and units are positions in a matrix.
pub(crate) type RatingMatrix = RatingTable<usize, usize>;

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

pub(crate) fn pairs(x: &Value, y: &Value) -> Vec<(f64, f64)> {
    numbers(x).into_iter().zip(numbers(y)).collect()
}

/// Rows are raters, columns are units, `None` is missing.
pub(crate) fn matrix(rows: &[Vec<Option<f64>>]) -> RatingMatrix {
    let entries = rows.iter().enumerate().flat_map(|(rater, row)| {
        row.iter()
            .enumerate()
            .filter_map(move |(unit, x)| x.map(|x| (rater, unit, x)))
    });
    RatingTable::new(entries).unwrap()
}

pub(crate) fn json_matrix(value: &Value) -> RatingMatrix {
    matrix(&serde_json::from_value::<Vec<Vec<Option<f64>>>>(value.clone()).unwrap())
}

/// Equal to 1e-9, or to 1e-9 of the size where figures are large.
#[track_caller]
pub(crate) fn assert_close(found: f64, expected: f64, what: &str) {
    assert_within(found, expected, 1e-9 * expected.abs().max(1.0), what);
}

/// Like [`close`], and to 1e-7 of its own size: for probabilities, which may be tiny.
#[track_caller]
pub(crate) fn assert_close_p(found: f64, expected: f64, what: &str) {
    assert_close(found, expected, what);
    assert_within(found, expected, 1e-7 * expected.abs(), what);
}

#[track_caller]
pub(crate) fn assert_within(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: {found} instead of {expected}"
    );
}

/// One output of the released SimpEval file: source, system, five raw ratings and five z-scores.
pub(crate) struct SimpEvalRatings {
    pub(crate) source: usize,
    pub(crate) system: String,
    pub(crate) raw: Vec<f64>,
    pub(crate) z: Vec<f64>,
}

pub(crate) fn read_simpeval_past() -> Vec<SimpEvalRatings> {
    let text = testdata::released_text("simpeval/simpeval_past.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.records().map(|record| {
        let record = record.unwrap();
        let numbers = |columns: std::ops::Range<usize>| {
            columns
                .map(|column| record[column].parse().unwrap())
                .collect()
        };
        SimpEvalRatings {
            source: record[4].parse().unwrap(),
            system: record[5].to_owned(),
            raw: numbers(6..11),
            z: numbers(11..16),
        }
    });
    rows.collect()
}

/// The columns of [`read_simpeval_past`] as raters, its rows as units.
pub(crate) fn past_table(
    rows: &[SimpEvalRatings],
    values: impl Fn(&SimpEvalRatings) -> &[f64],
) -> RatingMatrix {
    let entries = rows.iter().enumerate().flat_map(|(unit, row)| {
        values(row)
            .iter()
            .enumerate()
            .map(|(r, x)| (r, unit, *x))
            .collect::<Vec<_>>()
    });
    RatingTable::new(entries).unwrap()
}
