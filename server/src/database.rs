//! Opening the database that the settings name.

use std::{
    fs::{self, File, TryLockError},
    path::Path,
};

use anyhow::Context as _;
use store::Store;

use crate::settings::DataSettings;

/// Opens the database, and makes it and its folder where they are missing.
///
/// # Errors
/// Where that is not possible; the sentence says what to look at.
pub(crate) async fn open(settings: &DataSettings) -> anyhow::Result<Store> {
    make_folder(&settings.data)?;
    if let Some(folder) = settings.database_file().as_deref().and_then(Path::parent) {
        make_folder(folder)?;
    }
    Store::open(&settings.database_url())
        .await
        .context("the database cannot be opened")
}

/// Keeps other servers off a SQLite file for as long as the lock is held; other databases take any
/// number of servers. The system gives the lock up with the process, however that ends.
///
/// # Errors
/// Where another server holds it.
pub(crate) fn lock_database(settings: &DataSettings) -> anyhow::Result<Option<File>> {
    let Some(database) = settings.database_file() else {
        return Ok(None);
    };
    let path = database.with_added_extension("lock");
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
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

fn make_folder(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder)
        .with_context(|| format!("the folder {} cannot be made", folder.display()))
}
