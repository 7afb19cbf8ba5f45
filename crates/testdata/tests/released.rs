//! The released data is whole, and what its authors released.

use std::fs;

use sha2::{Digest, Sha256};
use testdata::{needs_released_data, released_path};

/// The files of each folder that is there.
#[needs_released_data("")]
#[test]
fn released_files_have_their_fingerprints() {
    for line in include_str!("../../../testdata/released.sha256").lines() {
        let (expected, name) = line.split_once("  ").expect("a line of sha256sum");
        let path = released_path(name);
        if !path.parent().expect("a folder").is_dir() {
            continue;
        }
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let digest = Sha256::digest(&bytes);
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, expected, "{name}");
    }
}
