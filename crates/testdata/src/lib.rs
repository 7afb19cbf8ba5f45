//! Where tests find the golden files, which are part of the project, and the released data, whose licences do
//! not allow that. `testdata/README.md` describes both.

mod tools;
mod workbook;

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
pub use testdata_macros::needs_released_data;
pub use tools::{are_fetched, tool_path};
pub use workbook::{workbook, workbook_of_xml};

/// The path of a golden file.
pub fn golden_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/golden")
        .join(name)
}

/// The text of a golden file.
#[track_caller]
pub fn golden_text(name: &str) -> String {
    read_text(&golden_path(name))
}

/// A golden file of JSON.
#[track_caller]
pub fn golden(name: &str) -> Value {
    serde_json::from_str(&golden_text(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The path of a released file or folder, for tests with [`needs_released_data`].
pub fn released_path(name: &str) -> PathBuf {
    Path::new(testdata_macros::released_folder!()).join(name)
}

/// The text of a released file, for tests with [`needs_released_data`].
#[track_caller]
pub fn released_text(name: &str) -> String {
    read_text(&released_path(name))
}

#[track_caller]
fn read_text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
