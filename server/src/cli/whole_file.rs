//! Files that are written whole or not at all.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use clap::builder::{PathBufValueParser, TypedValueParser};
use tempfile::NamedTempFile;

use super::input_file::is_standard_stream;

/// Writes the file at `path` and returns the result of `write`. A temporary file is created before `write` runs, which
/// may compute for hours, and takes its place only at the end: if `write` fails, the earlier file stays.
///
/// # Errors
/// The file cannot be written, something other than a file is there, or `write` fails.
pub(super) fn save<T>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    require_ordinary(path)?;
    let folder = path.parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    let why = || format!("{} cannot be written", path.display());
    let file = create_temporary(folder.unwrap_or(Path::new("."))).with_context(why)?;

    let mut out = BufWriter::new(file.as_file());
    let written = write(&mut out)?;
    out.flush().with_context(why)?;
    drop(out);
    file.persist(path).with_context(why)?;
    Ok(written)
}

/// Parses the path of a file or folder to write. Refuses standard output, where the command prints its report.
pub(super) fn file_place() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match is_standard_stream(&path) {
        true => Err("this does not go to standard output, which has the command's report: name a file or a folder"),
        false => Ok(path),
    })
}

/// Checks that a file can take the place: a device or a folder is not replaced.
///
/// # Errors
/// Something other than a file is there.
pub(super) fn require_ordinary(path: &Path) -> anyhow::Result<()> {
    if fs::metadata(path).is_ok_and(|attributes| !attributes.is_file()) {
        bail!("{} is there, and is not an ordinary file", path.display());
    }
    Ok(())
}

/// A temporary file in a folder, with the permissions of other files made there.
///
/// # Errors
/// It cannot be made.
pub(super) fn create_temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".rankrate-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let names = entries.map(|entry| entry.expect("there").file_name());
        names
            .map(|name| name.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn what_was_there_stays_until_all_is_written() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("scores");
        save(&path, |file| Ok(file.write_all(b"old")?)).expect("written");

        let failed = save(&path, |file| -> anyhow::Result<()> {
            file.write_all(b"half")?;
            assert_eq!(fs::read(&path).expect("there"), b"old");
            bail!("it was stopped");
        });
        assert_eq!(failed.expect_err("it failed").to_string(), "it was stopped");
        assert_eq!(fs::read(&path).expect("there"), b"old");
        assert_eq!(names_in(folder.path()), ["scores"]);

        let error = save(folder.path(), |_| Ok(())).expect_err("a folder");
        assert!(
            error.to_string().contains("not an ordinary file"),
            "{error}"
        );
    }
}
