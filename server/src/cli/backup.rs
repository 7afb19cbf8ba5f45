use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process,
};

use anyhow::Context as _;
use serde::Serialize;
use store::DatabaseCheck;
use utoipa::ToSchema;

use super::{
    backup_digest::{check_digest, write_digest},
    output::CommandOutput,
    whole_file::file_place,
};
use crate::{clock, database, settings::DataSettings};

/// Copies the database, while the server runs, to a file that is checked.
#[derive(Debug, clap::Args)]
pub(crate) struct BackupArgs {
    /// The file to make. `rankrate restore` puts it back.
    #[arg(short, long, value_name = "FILE", value_parser = file_place(), required_unless_present = "file")]
    output: Option<PathBuf>,
    /// The same, as the command took it before.
    #[arg(hide = true, conflicts_with = "output")]
    file: Option<PathBuf>,
}

/// The result of a backup.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct BackupReport {
    /// The file of the backup.
    file: String,
    /// Its size.
    bytes: u64,
    /// The SHA-256 of it, which is in a file beside it, too.
    sha256: String,
    #[serde(flatten)]
    check: DatabaseCheck,
}

impl BackupArgs {
    pub(crate) async fn run(
        self,
        mut output: CommandOutput,
        data: &DataSettings,
    ) -> anyhow::Result<()> {
        let path = self.output.or(self.file).context("name a file with -o")?;
        let store = database::open_to_read(data).await?;
        let check = store.back_up(&path).await?;
        store.close().await;

        let bytes = path.metadata()?.len();
        let file = path.display().to_string();
        let lines = format!("{file}: {bytes} bytes, checked: {}", contents(&check));
        let sha256 = write_digest(&path)?;

        let report = BackupReport {
            file,
            bytes,
            sha256,
            check,
        };
        output.print(&report, || lines)
    }
}

/// Puts a backup in place of the database, which is kept under another name.
#[derive(Debug, clap::Args)]
pub(crate) struct RestoreArgs {
    /// The file that `rankrate backup` made. It stays as it is.
    file: PathBuf,
}

/// The result of restoring a backup.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RestoreReport {
    /// The database now.
    database: String,
    /// The database before; none where there was none.
    kept: Option<String>,
}

impl RestoreArgs {
    pub(crate) async fn run(
        self,
        mut output: CommandOutput,
        data: &DataSettings,
    ) -> anyhow::Result<()> {
        let database = data.database_file().context(
            "a PostgreSQL database is restored by its own program: pg_restore --clean --dbname URL FILE",
        )?;

        let _lock = database::lock_database(data)?;
        check_digest(&self.file)?;
        store::check_backup(&self.file).await?;
        if database.exists() {
            store::settle_file(&database).await?;
        }

        let fresh = database.with_added_extension(format!("restored-{}", process::id()));
        let kept = copy_and_sync(&self.file, &fresh).and_then(|()| replace(&database, &fresh));
        let kept = kept
            .inspect_err(|_| drop(fs::remove_file(&fresh)))
            .with_context(|| format!("{} cannot be restored", self.file.display()))?;

        let report = RestoreReport {
            database: database.display().to_string(),
            kept: kept.map(|kept| kept.display().to_string()),
        };
        output.print(&report, || {
            let kept = report.kept.as_ref();
            let kept = kept.map(|kept| format!("\nthe database before is {kept}"));
            format!("restored: {}{}", report.database, kept.unwrap_or_default())
        })
    }
}

/// Copies a file, for its owner only, and waits until the disk has it.
fn copy_and_sync(from: &Path, to: &Path) -> io::Result<()> {
    let mut options = File::options();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut copy = options.open(to)?;
    io::copy(&mut File::open(from)?, &mut copy)?;
    copy.sync_all()
}

/// The suffixes of files that SQLite keeps next to a database that was not closed. It would apply them to a restored
/// database of that name.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Replaces the database by a fresh one, and returns the name under which the old one is kept; `None` if there was
/// none. A database exists at every moment, and before the first change all files of the old one have their second
/// name.
fn replace(database: &Path, fresh: &Path) -> io::Result<Option<PathBuf>> {
    let kept = database.with_added_extension(format!("replaced-{}", clock::now_ms()));
    let beside: Vec<_> = BESIDE
        .iter()
        .map(|end| (add_end(database, end), add_end(&kept, end)))
        .filter(|(file, _)| file.exists())
        .collect();
    let is_there = database.exists();

    if is_there {
        link_or_copy(database, &kept)?;
    }
    for (file, other_name) in &beside {
        link_or_copy(file, other_name)?;
    }
    sync_folder(database)?;

    let replaced = beside
        .iter()
        .try_for_each(|(file, _)| fs::remove_file(file))
        .and_then(|()| fs::rename(fresh, database));

    // The old database is still there and needs its files back.
    if let Err(error) = replaced {
        for (file, other_name) in beside.iter().filter(|(file, _)| !file.exists()) {
            link_or_copy(other_name, file)?;
        }
        return Err(error);
    }

    sync_folder(database)?;
    Ok(is_there.then_some(kept))
}

fn add_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// Gives a file a second name, or copies it if the file system has no hard links.
fn link_or_copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::hard_link(from, to).or_else(|_| copy_and_sync(from, to))
}

/// Waits until the names of the files in this file's folder are on disk.
fn sync_folder(file: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        File::open(folder)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

/// Checks the database: its file, the events of each study and the history of each answer.
pub(super) async fn check(mut output: CommandOutput, data: &DataSettings) -> anyhow::Result<()> {
    let store = database::open_to_read(data).await?;
    let check = store.check_integrity().await?;
    store.close().await;
    let faults = check.faults.len();

    output.print(&check, || {
        let mut lines = check.faults.clone();
        lines.push(contents(&check));
        lines.join("\n")
    })?;
    anyhow::ensure!(faults == 0, "the database has faults: {faults}");
    Ok(())
}

fn contents(check: &DatabaseCheck) -> String {
    let DatabaseCheck {
        studies,
        annotations,
        events,
        ..
    } = check;
    format!("studies: {studies}, answers: {annotations}, events: {events}")
}
