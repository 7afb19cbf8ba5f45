//! `cargo xtask size`: what the annotation page transfers.

use std::{fs, io::Write as _};

use anyhow::{Context as _, Result, ensure};

use crate::{compress, site_folder, split::LATER_STEPS};

/// The most bytes of WebAssembly and script together that may be transferred before the first step works,
/// compressed with Brotli.
///
/// This is 200 KiB. Both limits are for the oldest compilers that build the program: the result of Rust 1.96
/// is 2 % larger than that of 1.99 for the same source.
const LIMIT: usize = 204_800;
/// The most bytes of the later steps, which the browser fetches while the annotator is at the first one.
const LATER_LIMIT: usize = 212_500;

/// Prints the Brotli sizes of the browser's part.
///
/// Only the annotation page loads WebAssembly and its script. `end2end/tests/weight.spec.js` measures what
/// other pages transfer; of the files here, that is the style sheet.
pub(crate) fn check() -> Result<()> {
    let pkg = site_folder().join("pkg");
    let (mut first, mut later) = (0, 0);
    let mut out = std::io::stdout();
    let entries =
        fs::read_dir(&pkg).context("the interface is not built: cargo xtask site --release")?;

    for entry in entries {
        let path = entry?.path();
        let extension = path
            .extension()
            .and_then(|extension| extension.to_str())
            .unwrap_or_default();
        if !matches!(extension, "wasm" | "js" | "css") {
            continue;
        }

        let bytes = fs::read(&path)?;
        let compressed = compress::compress_brotli(&bytes)?.len();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // The other scripts belong to pages.
        if extension != "css" && name.starts_with("app") {
            first += compressed;
        } else if name.starts_with(LATER_STEPS) {
            later += compressed;
        }

        writeln!(
            out,
            "{name:<32}  {:>9} bytes, {compressed:>7} brotli",
            bytes.len()
        )?;
    }

    writeln!(out, "first step   {first} bytes brotli, limit {LIMIT}")?;
    writeln!(
        out,
        "later steps  {later} bytes brotli, limit {LATER_LIMIT}"
    )?;

    ensure!(
        first > 0 && later > 0,
        "the interface is not built: cargo xtask site --release"
    );
    ensure!(
        first <= LIMIT && later <= LATER_LIMIT,
        "the browser's part is too large; a release build (cargo xtask site --release) was measured?"
    );
    Ok(())
}
