//! The load test: many simulated annotators save at once, through servers as people use them.

mod annotator;
mod report;
mod setup;

use std::{ops::Range, path::PathBuf, time::Duration};

use domain::random::SeededRandom;
use tokio::{task::JoinSet, time::Instant};

use self::annotator::LoadAnnotator;
pub use self::report::LoadReport;
use crate::{
    TestDatabase,
    servers::process::{ServerGroup, ServerLaunch, memory_kib, processor_time},
};

/// The settings of a load test.
#[derive(Debug, Clone)]
pub struct LoadSettings {
    /// The program `rankrate`.
    pub program: PathBuf,
    /// How many annotators save at the same time, each on a source of their own.
    pub annotators: usize,
    /// How many servers share the database; one on SQLite.
    pub servers: usize,
    /// How long it lasts.
    pub duration: Duration,
    /// How long an annotator thinks between an acknowledgement and the next save, in milliseconds, drawn evenly;
    /// empty for not at all.
    pub think_ms: Range<u64>,
}

/// Runs the test on a fresh database.
///
/// # Errors
/// Where a server does not start, or refuses a save.
pub async fn run(database: &TestDatabase, settings: &LoadSettings) -> Result<LoadReport, String> {
    let desks = setup::prepare_study(database, settings.annotators).await;
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let launch = ServerLaunch {
        program: settings.program.clone(),
        database_url: database.url.clone(),
        folder: folder.path().to_owned(),
    };
    let mut group = ServerGroup::start(launch, settings.servers).await?;
    let addresses = group.addresses.running();
    let processes = group.process_ids();
    let (begun, busy) = (Instant::now(), processor_time(&processes));
    let end = begun + settings.duration;
    let mut saving = JoinSet::new();
    for (number, desk) in desks.into_iter().enumerate() {
        let address = addresses[number % addresses.len()];
        let random = SeededRandom::new(number as u64);
        let annotator = LoadAnnotator::new(desk, address, settings.think_ms.clone(), random);
        saving.spawn(annotator.save_until(end));
    }
    let mut waits = Vec::new();
    while let Some(ended) = saving.join_next().await {
        waits.extend(ended.map_err(|error| error.to_string())??);
    }
    waits.sort_unstable();
    let report = LoadReport {
        settings: settings.clone(),
        lasted: begun.elapsed(),
        processor_time: processor_time(&processes).saturating_sub(busy),
        memory_kib: processes.iter().map(|process| memory_kib(*process)).sum(),
        waits,
    };
    for server in 0..group.len() {
        group.kill(server).await?;
    }
    Ok(report)
}
