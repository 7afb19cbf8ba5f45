//! Data that is not part of the project, and how figures are compared.

use std::{collections::BTreeMap, env, fs, path::PathBuf};

use serde_json::Value;

/// The file at `name` in the shared folder, or nothing where the folder is absent, said so.
pub(crate) fn read(name: &str) -> Option<String> {
    let folder = env::var_os("RANKRATE_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    if !folder.is_dir() {
        println!("skipped: no shared folder at {}", folder.display());
        return None;
    }
    let path = folder.join(name);
    Some(fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

pub(crate) fn read_golden(name: &str) -> Option<Value> {
    read(&format!("golden/{name}")).map(|text| serde_json::from_str(&text).unwrap())
}

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
pub(crate) fn read_asset(name: &str) -> Option<Vec<String>> {
    let text = read(&format!("data/asset/asset.test.{name}"))?;
    Some(text.lines().map(str::to_owned).collect())
}

/// One output of the released SimpEval file.
pub(crate) struct SimpEvalOutput {
    pub(crate) source: usize,
    pub(crate) system: String,
    pub(crate) output: String,
}

pub(crate) fn read_simpeval_past() -> Option<Vec<SimpEvalOutput>> {
    let text = read("data/simpeval/simpeval_past.csv")?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.records().map(|record| {
        let record = record.unwrap();
        SimpEvalOutput {
            source: record[4].parse().unwrap(),
            system: record[5].to_owned(),
            output: record[3].to_owned(),
        }
    });
    Some(rows.collect())
}

/// ASSET's line of each source of the released SimpEval file.
pub(crate) fn asset_lines(corpus: &Value) -> BTreeMap<usize, usize> {
    serde_json::from_value(corpus["asset_line_by_original_id"].clone()).unwrap()
}
