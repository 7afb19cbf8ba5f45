//! Compressed copies of the site's files, which the server sends to browsers that accept them.

use std::{
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::Result;
use brotli::{CompressorWriter, enc::BrotliEncoderParams};
use flate2::{Compression, write::GzEncoder};

/// Writes a Brotli and a gzip copy next to every file of a folder and its subfolders.
pub(crate) fn compress_folder(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            compress_folder(&path)?;
        } else if !is_compressed(&path) {
            let bytes = fs::read(&path)?;
            fs::write(with_suffix(&path, "br"), compress_brotli(&bytes)?)?;
            let mut gzip =
                GzEncoder::new(File::create(with_suffix(&path, "gz"))?, Compression::best());
            gzip.write_all(&bytes)?;
            gzip.finish()?;
        }
    }
    Ok(())
}

/// Compresses with Brotli at its highest level.
pub(crate) fn compress_brotli(bytes: &[u8]) -> Result<Vec<u8>> {
    let params = BrotliEncoderParams {
        quality: 11,
        lgwin: 24,
        ..Default::default()
    };
    let mut out = Vec::new();
    let mut writer = CompressorWriter::with_params(&mut out, 64 * 1024, &params);
    writer.write_all(bytes)?;
    drop(writer);
    Ok(out)
}

/// Whether the file's format is already compressed.
fn is_compressed(path: &Path) -> bool {
    let extension = path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default();
    matches!(extension, "br" | "gz" | "png" | "jpg" | "woff2")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}
