use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process,
};

use anyhow::Context as _;
use serde::Serialize;
use store::DatabaseCheck;

use super::output::CommandOutput;
use crate::{clock, database, settings::DataSettings};

/// Copies the database, while the server runs, to a file that is checked.
#[derive(Debug, clap::Args)]
pub(crate) struct BackupArgs {
    /// The file to make. `rankrate restore` puts it back.
    file: PathBuf,
}

/// The result of a backup.
#[derive(Debug, Serialize)]
struct BackupReport {
    file: String,
    bytes: u64,
    #[serde(flatten)]
    check: DatabaseCheck,
}

impl BackupArgs {
    pub(crate) async fn run(
        self,
        mut output: CommandOutput,
        data: &DataSettings,
    ) -> anyhow::Result<()> {
        let store = database::open(data).await?;
        let check = store.back_up(&self.file).await?;
        store.close().await;
        let bytes = self.file.metadata()?.len();
        let file = self.file.display().to_string();
        let lines = format!("{file}: {bytes} bytes, checked: {}", contents(&check));
        let report = BackupReport { file, bytes, check };
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
#[derive(Debug, Serialize)]
struct RestoreReport {
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
        store::check_backup(&self.file).await?;
        let fresh = database.with_added_extension(format!("restored-{}", process::id()));
        let kept = copy_and_keep(&self.file, &fresh)
            .and_then(|()| set_aside(&database))
            .and_then(|kept| fs::rename(&fresh, &database).map(|()| kept));
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
fn copy_and_keep(from: &Path, to: &Path) -> io::Result<()> {
    let mut options = File::options();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut copy = options.open(to)?;
    io::copy(&mut File::open(from)?, &mut copy)?;
    copy.sync_all()
}

/// Gives a database another name, with what SQLite keeps beside it, and returns the name. `None` where there is
/// no database.
fn set_aside(database: &Path) -> io::Result<Option<PathBuf>> {
    if !database.exists() {
        return Ok(None);
    }
    let kept = database.with_added_extension(format!("replaced-{}", clock::now_ms()));
    // The log goes first: beside a restored database it would be taken for its own.
    for end in ["-wal", "-shm", ""] {
        let [from, to] = [database, &kept].map(|path| {
            let mut name = path.as_os_str().to_owned();
            name.push(end);
            PathBuf::from(name)
        });
        match fs::rename(from, to) {
            Err(error) if end.is_empty() || error.kind() != io::ErrorKind::NotFound => {
                return Err(error);
            }
            _ => {}
        }
    }
    Ok(Some(kept))
}

/// Checks the database: its file, the events of each study and the history of each answer.
pub(super) async fn check(mut output: CommandOutput, data: &DataSettings) -> anyhow::Result<()> {
    let store = database::open(data).await?;
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
