//! The SHA-256 of a backup, in a file next to it: a database does not notice changed bytes in a text.

use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader, ErrorKind},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, ensure};
use sha2::{Digest as _, Sha256};

/// Writes the file next to a backup, as `sha256sum` does, and returns the digest.
pub(super) fn write_digest(backup: &Path) -> anyhow::Result<String> {
    let digest = hash_file(backup)?;
    let name = backup.file_name().unwrap_or(backup.as_os_str());
    let digest_file = digest_path(backup);
    fs::write(
        &digest_file,
        format!("{digest}  {}\n", name.to_string_lossy()),
    )
    .with_context(|| format!("{} cannot be written", digest_file.display()))?;
    Ok(digest)
}

/// Checks a backup against the file next to it, if there is one.
///
/// # Errors
/// The backup has changed since it was made, or a file cannot be read.
pub(super) fn check_digest(backup: &Path) -> anyhow::Result<()> {
    let digest_file = digest_path(backup);
    let line = match fs::read_to_string(&digest_file) {
        Ok(line) => line,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(error).with_context(|| format!("{} cannot be read", digest_file.display()));
        }
    };

    let stated = line.split_whitespace().next().unwrap_or_default();
    ensure!(
        stated.eq_ignore_ascii_case(&hash_file(backup)?),
        "{} is not as it was when it was made: its SHA-256 is not the one in {}. Restore another copy; to restore this \
         one all the same, remove that file",
        backup.display(),
        digest_file.display()
    );
    Ok(())
}

fn digest_path(backup: &Path) -> PathBuf {
    backup.with_added_extension("sha256")
}

fn hash_file(path: &Path) -> anyhow::Result<String> {
    let hash = || -> io::Result<_> {
        let mut bytes = BufReader::with_capacity(1 << 16, File::open(path)?);
        let mut hash = Sha256::new();
        loop {
            let read = bytes.fill_buf()?;
            if read.is_empty() {
                return Ok(hash.finalize());
            }
            hash.update(read);
            let length = read.len();
            bytes.consume(length);
        }
    };

    let digest = hash().with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}
