//! `cargo xtask size`: the size of a first load.

use std::{fs, io::Write as _};

use anyhow::{Context as _, Result, ensure};

use crate::{compress, site_folder};

/// The most bytes that WebAssembly and script together may transfer at first load, compressed with Brotli.
const LIMIT: usize = 307_500;

/// Prints the Brotli sizes of the browser's part.
///
/// Only the annotation page loads WebAssembly and its script. `end2end/tests/weight.spec.js` measures what other
/// pages transfer; of the files here that is the style sheet.
pub(crate) fn check() -> Result<()> {
    let pkg = site_folder().join("pkg");
    let mut total = 0;
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
        // The other scripts are those of pages.
        if extension != "css" && name.starts_with("app") {
            total += compressed;
        }
        writeln!(
            out,
            "{name:<32}  {:>9} bytes, {compressed:>7} brotli",
            bytes.len()
        )?;
    }
    writeln!(out, "wasm and js  {total} bytes brotli, limit {LIMIT}")?;
    ensure!(
        total > 0,
        "the interface is not built: cargo xtask site --release"
    );
    ensure!(
        total <= LIMIT,
        "the browser's part is too large; a release build (cargo xtask site --release) was measured?"
    );
    Ok(())
}
