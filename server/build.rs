//! A release carries the built interface inside: it is rebuilt when that changes, and refused
//! where it is missing. A debug build reads the interface from the disk instead, later.

use std::{env, fs, path::Path};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/site");
    if env::var("PROFILE").as_deref() != Ok("release") {
        // The folder's full name is taken at compile time, so it must be there.
        if let Err(error) = fs::create_dir_all(&site) {
            println!("cargo::error={} cannot be made: {error}", site.display());
        }
        return;
    }
    println!("cargo::rerun-if-changed={}", site.display());
    if !site.join("manifest.json").exists() {
        println!("cargo::error=the interface is not built; run: ./run --release --build");
    }
}
