//! The load test: many simulated annotators save at once, through servers as people use them, while others may look
//! at live pages. Servers of other platforms can be measured in the same way.

mod annotator;
mod import_job;
mod peer;
mod report;
mod setup;
mod viewer;
mod workspace;

use std::{net::SocketAddr, ops::Range, path::PathBuf, time::Duration};

use domain::random::SeededRandom;
use tokio::{spawn, time::Instant};

pub use self::{
    annotator::SavedValue,
    peer::PeerPlan,
    report::{LoadReport, WaitQuantiles},
};
use self::{
    annotator::{LoadAnnotator, SaveSource},
    peer::PeerPage,
    report::LoadMeasurements,
    viewer::LiveViewer,
    workspace::AnnotatorWorkspace,
};
use crate::{
    TestDatabase,
    servers::{
        process::{ServerGroup, ServerLaunch},
        usage::{memory_kib, processor_time, with_descendants},
    },
};

/// The annotators of a load test: how many, for how long, how fast.
#[derive(Debug, Clone)]
pub struct LoadSettings {
    /// How many save at the same time, each on a source of their own.
    pub annotators: usize,
    /// How long it lasts.
    pub duration: Duration,
    /// How long an annotator thinks between an acknowledgement and the next save, in milliseconds, drawn evenly;
    /// empty for not at all.
    pub think_ms: Range<u64>,
}

/// The servers of a load test, and the load on them in addition to saves.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// The program `rankrate`.
    pub program: PathBuf,
    /// How many servers share the database; one on SQLite.
    pub servers: usize,
    /// How many people look at live pages meanwhile.
    pub viewers: usize,
    /// How many outputs with five ratings each are imported meanwhile, into another study.
    pub imported_outputs: usize,
}

/// Processes that are measured.
struct MeasuredProcesses {
    servers: Vec<u32>,
    database_server: Option<u32>,
}

/// Runs the test on a fresh database.
///
/// # Errors
/// Where a server does not start, or refuses a save or a page.
pub async fn run(
    database: &TestDatabase,
    servers: &ServerSettings,
    load: &LoadSettings,
) -> Result<LoadReport, String> {
    let study = setup::prepare_study(database, load.annotators, servers.viewers).await;
    if servers.imported_outputs > 0 {
        import_job::queue_import(database, servers.imported_outputs).await;
    }
    database.store.close().await;

    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let launch = ServerLaunch {
        program: servers.program.clone(),
        database_url: database.url.clone(),
        folder: folder.path().to_owned(),
    };
    let mut group = ServerGroup::start(launch, servers.servers).await?;

    let addresses = group.addresses.running();
    let address = |number: usize| addresses[number % addresses.len()];
    let annotators = study.desks.into_iter().enumerate().map(|(number, desk)| {
        let random = SeededRandom::new(number as u64);
        let workspace = AnnotatorWorkspace::new(desk, random);
        annotator(workspace, address(number), load, number)
    });
    let viewers = study.leads.into_iter().enumerate();
    let viewers = viewers.map(|(number, cookie)| LiveViewer {
        address: address(number),
        page: viewer::LIVE_PAGES[number % viewer::LIVE_PAGES.len()],
        cookie,
    });

    let processes = MeasuredProcesses {
        servers: group.process_ids(),
        database_server: database.server_process,
    };
    let report = measure(annotators.collect(), viewers.collect(), &processes, load).await?;

    for server in 0..group.len() {
        group.kill(server).await?;
    }
    match report.first_failure {
        Some(reason) => Err(reason),
        None => Ok(report),
    }
}

/// Runs the test on another platform's running server. Its saves may fail: the report says how many.
///
/// # Errors
/// Where the plan has too few annotators.
pub async fn run_peer(plan: &PeerPlan, load: &LoadSettings) -> Result<LoadReport, String> {
    let planned = plan.annotators.get(..load.annotators);
    let planned = planned.ok_or_else(|| format!("the plan has {}", plan.annotators.len()))?;

    let annotators = planned.iter().enumerate().map(|(number, one)| {
        let page = PeerPage {
            annotator: one.clone(),
            address: plan.address,
            random: SeededRandom::new(number as u64),
        };
        annotator(page, plan.address, load, number)
    });

    let processes = MeasuredProcesses {
        servers: vec![plan.process],
        database_server: None,
    };
    measure(annotators.collect(), vec![], &processes, load).await
}

fn annotator<S>(
    source: S,
    address: SocketAddr,
    load: &LoadSettings,
    number: usize,
) -> LoadAnnotator<S> {
    LoadAnnotator {
        source,
        address,
        think_ms: load.think_ms.clone(),
        random: SeededRandom::new(1_000_000 + number as u64),
    }
}

async fn measure<S: SaveSource + Send + 'static>(
    annotators: Vec<LoadAnnotator<S>>,
    viewers: Vec<LiveViewer>,
    processes: &MeasuredProcesses,
    load: &LoadSettings,
) -> Result<LoadReport, String> {
    let busy = || {
        let server = processor_time(&with_descendants(&processes.servers));
        let of_database = |process| processor_time(&with_descendants(&[process]));
        (server, processes.database_server.map(of_database))
    };

    let before = busy();
    let begun = Instant::now();
    let end = begun + load.duration;

    let viewing: Vec<_> = viewers
        .into_iter()
        .map(|viewer| spawn(viewer.watch_until(end)))
        .collect();
    let saving: Vec<_> = annotators
        .into_iter()
        .map(|annotator| spawn(annotator.save_until(end)))
        .collect();

    let mut records = Vec::with_capacity(saving.len());
    for annotator in saving {
        records.push(annotator.await.map_err(|error| error.to_string())?);
    }
    let lasted = begun.elapsed();
    let mut page_waits = Vec::with_capacity(viewing.len());
    for viewer in viewing {
        page_waits.push(viewer.await.map_err(|error| error.to_string())??);
    }

    let after = busy();
    let servers = with_descendants(&processes.servers);
    Ok(LoadReport::new(LoadMeasurements {
        lasted,
        records,
        page_waits,
        processor_time: after.0.saturating_sub(before.0),
        database_processor_time: after
            .1
            .map(|time| time.saturating_sub(before.1.unwrap_or_default())),
        memory_kib: servers.iter().map(|process| memory_kib(*process)).sum(),
    }))
}
