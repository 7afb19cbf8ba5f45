//! The released texts, and how figures are compared.

use std::collections::BTreeMap;

use serde_json::Value;
use testdata::released_text;

/// Equal to 1e-6.
#[track_caller]
pub(crate) fn assert_close(found: f64, expected: &Value, what: &str) {
    let expected = expected
        .as_f64()
        .unwrap_or_else(|| panic!("{what}: no number is expected"));
    assert!(
        (found - expected).abs() <= 1e-6,
        "{what}: {found} instead of {expected}"
    );
}

pub(crate) fn texts(value: &Value) -> Vec<String> {
    serde_json::from_value(value.clone()).unwrap()
}

/// The lines of a file of ASSET.
pub(crate) fn read_asset(name: &str) -> Vec<String> {
    let text = released_text(&format!("asset/asset.test.{name}"));
    text.lines().map(str::to_owned).collect()
}

/// One output of the released SimpEval file.
pub(crate) struct SimpEvalOutput {
    pub(crate) source: usize,
    pub(crate) system: String,
    pub(crate) output: String,
}

pub(crate) fn read_simpeval_past() -> Vec<SimpEvalOutput> {
    let text = released_text("simpeval/simpeval_past.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.records().map(|record| {
        let record = record.unwrap();
        SimpEvalOutput {
            source: record[4].parse().unwrap(),
            system: record[5].to_owned(),
            output: record[3].to_owned(),
        }
    });
    rows.collect()
}

/// ASSET's line of each source of the released SimpEval file.
pub(crate) fn asset_lines(corpus: &Value) -> BTreeMap<usize, usize> {
    serde_json::from_value(corpus["asset_line_by_original_id"].clone()).unwrap()
}
