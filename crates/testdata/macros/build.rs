//! Looks for the released data: no other place decides whether the tests that need it run.
//! `testdata/README.md` describes the variables.

use std::{
    env,
    path::{Path, PathBuf},
};

fn main() {
    println!("cargo::rerun-if-env-changed=RANKRATE_RELEASED");
    println!("cargo::rerun-if-env-changed=RANKRATE_REQUIRE_RELEASED");

    let crate_folder = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let root = crate_folder.expect("cargo names the crate's folder");
    let root = root.ancestors().nth(3).expect("three folders below");
    let testdata = root.join("testdata");
    println!("cargo::rerun-if-changed={}", testdata.display());

    // An empty variable counts as unset, because scripts pass variables on.
    let set = |name| env::var_os(name).filter(|value| !value.is_empty());
    let folder = set("RANKRATE_RELEASED").map_or_else(
        || default_folder(&testdata, root),
        |folder| root.join(folder),
    );

    // If the folder is missing, Cargo would run this at every build.
    if folder.is_dir() {
        println!("cargo::rerun-if-changed={}", folder.display());
    }

    let required = set("RANKRATE_REQUIRE_RELEASED").is_some();
    println!("cargo::rustc-env=RELEASED_REQUIRED={required}");
    println!("cargo::rustc-env=RELEASED_DATA={}", folder.display());
}

/// The folder that `testdata/fetch` fills or, without it, `shared/data` next to the checkout.
fn default_folder(testdata: &Path, root: &Path) -> PathBuf {
    let fetched = testdata.join("released");
    let beside = root.join("../shared/data");
    if !fetched.is_dir() && beside.is_dir() {
        beside
    } else {
        fetched
    }
}
