//! `cargo xtask size`: the size of a first load.

use std::{fs, io::Write as _};

use anyhow::{Context as _, Result, ensure};

use crate::{compress, site_folder};

/// The most bytes that WebAssembly and script together may transfer at first load, compressed with Brotli.
const LIMIT: usize = 350 * 1024;

/// Prints the Brotli sizes of the browser's part.
///
/// Every page loads the same files, so this is what the annotation page transfers.
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
        if !matches!(extension, "wasm" | "js") {
            continue;
        }
        let bytes = fs::read(&path)?;
        let compressed = compress::compress_brotli(&bytes)?.len();
        total += compressed;
        writeln!(
            out,
            "{extension:>6}  {:>9} bytes, {compressed:>7} brotli",
            bytes.len()
        )?;
    }
    writeln!(out, " total  {total} bytes brotli, limit {LIMIT}")?;
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
