use std::path::PathBuf;

use serde::Serialize;
use store::DatabaseCheck;

use super::output::CommandOutput;
use crate::{database, settings::DataSettings};

/// Copies the database, while the server runs, to a file that is checked.
#[derive(Debug, clap::Args)]
pub(crate) struct BackupArgs {
    /// The file to make. To restore it, stop the server and put it in place of `rankrate.sqlite`; remove the
    /// files beside that end in `-wal` and `-shm`.
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
