//! Opening the database that the settings name.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{self, Path},
};

use anyhow::Context as _;
use store::Store;

use crate::settings::DataSettings;

/// Opens the database, and creates it and its folder if they are missing. The file is for its owner only: it holds
/// names, password hashes and ratings.
///
/// # Errors
/// A sentence that says what to look at.
pub(crate) async fn open(settings: &DataSettings) -> anyhow::Result<Store> {
    make_data_folder(&settings.data)?;
    if let Some(folder) = settings.database_file().as_deref().and_then(Path::parent) {
        make_data_folder(folder)?;
    }
    if let Some(file) = settings.database_file() {
        // An address with parameters says itself whether a file may be created.
        let may_create = !settings.database_url().contains('?');
        keep_private(&file, may_create)?;
    }

    Store::open(&settings.database_url())
        .await
        .context("the database cannot be opened")
}

/// Opens the database for a command that must not create one.
///
/// # Errors
/// Those of [`open`]; also if the database does not exist, with the place where it was expected.
pub(crate) async fn open_existing(settings: &DataSettings) -> anyhow::Result<Store> {
    check_exists(settings)?;
    open(settings).await
}

/// Opens the database for a command that only reads. A database that cannot be written, as on a read-only mount, is
/// opened read-only.
///
/// # Errors
/// Those of [`open_existing`].
pub(crate) async fn open_to_read(settings: &DataSettings) -> anyhow::Result<Store> {
    check_exists(settings)?;
    match settings.database_file() {
        Some(file) if !can_write(&file) => Store::open_read_only(&file).await.with_context(|| {
            format!(
                "{} cannot be written here, nor read as it is",
                file.display()
            )
        }),
        _ => open(settings).await,
    }
}

fn check_exists(settings: &DataSettings) -> anyhow::Result<()> {
    let Some(file) = settings.database_file() else {
        return Ok(());
    };
    let place = path::absolute(&file).unwrap_or(file);
    match fs::metadata(&place) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => anyhow::bail!(
            "there is no database at {}: name its folder with --data (RANKRATE_DATA), or begin one with `rankrate serve`, \
             `rankrate demo` or `rankrate study create`",
            place.display()
        ),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", place.display())),
    }
}

/// Whether SQLite can write the file, and its log in the same folder.
#[cfg(unix)]
fn can_write(file: &Path) -> bool {
    use rustix::fs::{Access, access};

    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    [file, folder]
        .into_iter()
        .all(|path| access(path, Access::WRITE_OK).is_ok())
}

#[cfg(not(unix))]
fn can_write(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|metadata| !metadata.permissions().readonly())
}

/// Keeps other servers off a SQLite database for as long as the lock is held; PostgreSQL takes any number of servers.
/// The operating system releases the lock when the process ends, in whatever way.
///
/// # Errors
/// If another server holds the lock.
pub(crate) fn lock_database(settings: &DataSettings) -> anyhow::Result<Option<File>> {
    let Some(database) = settings.database_file() else {
        return Ok(None);
    };

    let path = database.with_added_extension("lock");
    if let Some(folder) = path.parent() {
        make_data_folder(folder)?;
    }
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .with_context(|| format!("{} cannot be written", path.display()))?;

    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => anyhow::bail!(
            "another server is running on {}: stop it first, or name another folder with --data. \
             Other commands may be used meanwhile",
            database.display(),
        ),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("{} cannot be locked", path.display()))
        }
    }
}

/// Creates the folder if it is missing, for its owner only.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

fn make_data_folder(folder: &Path) -> anyhow::Result<()> {
    make_folder(folder).with_context(|| format!("the folder {} cannot be made", folder.display()))
}

/// Lets only the owner read the database and SQLite's files next to it. Creates a missing file if `may_create`; the
/// files that SQLite then adds have the same rights. Does not open existing files, since closing one would release the
/// locks that this process may have on it.
#[cfg(unix)]
fn keep_private(file: &Path, may_create: bool) -> anyhow::Result<()> {
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};

    if may_create && !file.exists() {
        let mut options = File::options();
        match options.create_new(true).write(true).mode(0o600).open(file) {
            // Another process may have been faster.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(error).with_context(|| format!("{} cannot be made", file.display()));
            }
            _ => {}
        }
    }

    for end in ["", "-wal", "-shm"] {
        let mut path = file.as_os_str().to_owned();
        path.push(end);
        let Ok(metadata) = fs::metadata(&path) else {
            continue;
        };
        if metadata.permissions().mode() & 0o077 == 0 {
            continue;
        }
        let path = Path::new(&path);
        match fs::set_permissions(path, fs::Permissions::from_mode(0o600)) {
            Ok(()) => tracing::warn!(
                "others could read {}; now only its owner can",
                path.display()
            ),
            Err(error) => tracing::warn!(%error, "others can read {}", path.display()),
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn keep_private(_file: &Path, _may_create: bool) -> anyhow::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct DataTestFlags {
        #[command(flatten)]
        data: DataSettings,
    }

    fn mode(path: &Path) -> u32 {
        let metadata = fs::metadata(path).expect("it is there");
        metadata.permissions().mode() & 0o777
    }

    #[tokio::test]
    async fn only_the_owner_may_read_the_data() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("data");
        let flags = ["test", "--data", folder.to_str().unwrap()];
        let settings = DataTestFlags::parse_from(flags).data;
        let _lock = lock_database(&settings).unwrap();
        let file = settings.database_file().unwrap();
        for _ in 0..2 {
            let store = open(&settings).await.unwrap();
            store.check_writing(1).await.unwrap();
            assert_eq!(mode(&folder), 0o700);
            for path in fs::read_dir(&folder).unwrap() {
                let path = path.unwrap().path();
                let lock = path
                    .extension()
                    .is_some_and(|extension| extension == "lock");
                assert!(lock || mode(&path) == 0o600, "{}", path.display());
            }
            store.close().await;
            // As an earlier version left it.
            fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        }
    }
}
