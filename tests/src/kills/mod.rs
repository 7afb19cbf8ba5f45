//! The kill test: servers are killed while simulated annotators save, and whatever a server has acknowledged
//! must be in the database, as it was sent and once. A kill is not a power cut: what a killed server wrote stays
//! in the memory of the system, so the test shows that work is whole and in one commit, but not that it
//! has reached the disk.

mod annotator;
mod check;
mod history;
mod open_source;
mod report;
mod rows;
mod setup;

use std::{path::PathBuf, sync::atomic::Ordering, time::Duration};

use domain::random::SeededRandom;
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

use self::annotator::{SharedProgress, SimulatedAnnotator};
pub use self::{
    check::{HistoryViolation, ViolationKind, find_violations},
    history::{
        AnswerRow, EventRow, SentChange, SentDecision, SentHistory, SentTimes, StepKey, StoredRows,
        StudyEvents,
    },
    report::KillReport,
};
use crate::{
    TestDatabase,
    servers::process::{ServerGroup, ServerLaunch},
};

/// How long it may take until further batches are acknowledged.
const PATIENCE: Duration = Duration::from_secs(180);

/// The settings of a kill test.
#[derive(Debug, Clone)]
pub struct KillSettings {
    /// The program `rankrate`.
    pub program: PathBuf,
    /// How many servers are killed and started again. Those that run at the end are killed, too.
    pub kills: usize,
    /// How many servers share the database; one on SQLite.
    pub servers: usize,
    /// The seed of everything that is random, except for timing.
    pub seed: u64,
    /// Whether to delete an acknowledged answer at the end, which must be found.
    pub plant_lost_write: bool,
}

/// Runs the test on a fresh database, and compares what was acknowledged with what is stored.
///
/// # Errors
/// Where a server does not start, or no longer answers.
pub async fn run(database: &TestDatabase, settings: &KillSettings) -> Result<KillReport, String> {
    let accounts = setup::prepare_study(database).await;
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let launch = ServerLaunch {
        program: settings.program.clone(),
        database_url: database.url.clone(),
        folder: folder.path().to_owned(),
    };
    let mut group = ServerGroup::start(launch, settings.servers).await?;

    let progress = SharedProgress::default();
    let mut annotators = JoinSet::new();
    for (number, account) in (1..).zip(accounts) {
        let seed = settings.seed.wrapping_mul(1_000).wrapping_add(number);
        let addresses = group.addresses.clone();
        let annotator = SimulatedAnnotator::new(account, addresses, progress.clone(), seed);
        annotators.spawn(annotator.work());
    }

    let mut random = SeededRandom::new(settings.seed);
    tokio::select! {
        killed = kill_servers(&mut group, settings.kills, &progress, &mut random) => killed?,
        Some(ended) = annotators.join_next() => {
            let reason = ended.map_err(|error| error.to_string()).flatten().err();
            return Err(reason.unwrap_or_else(|| "an annotator stopped early".to_owned()));
        }
    }

    progress.stop.store(true, Ordering::Relaxed);
    for server in 0..group.len() {
        group.kill(server).await?;
    }

    let mut history = SentHistory::default();
    for sent in annotators.join_all().await {
        history.merge(sent?);
    }

    rows::await_quiet(database).await;
    let planted = if settings.plant_lost_write {
        let planted = rows::plant_lost_write(database, &history, &mut random).await;
        Some(planted.ok_or("no acknowledged answer counts: there is nothing to lose")?)
    } else {
        None
    };

    let rows = rows::read_rows(database).await;
    Ok(KillReport {
        settings: settings.clone(),
        kills: group.kills,
        restarts: group.restarts,
        longest_restart: group.longest_restart,
        acknowledged: history.acknowledged_changes().count(),
        hand_ins: history.count_hand_ins(),
        times: history
            .times
            .iter()
            .filter(|sent| sent.acknowledged)
            .count(),
        planted,
        violations: find_violations(&history, &rows),
    })
}

/// Kills servers at random moments of people's work, and starts them again.
async fn kill_servers(
    group: &mut ServerGroup,
    kills: usize,
    progress: &SharedProgress,
    random: &mut SeededRandom,
) -> Result<(), String> {
    while group.kills < kills {
        // Sometimes before the server has stored anything.
        let batches = match random.below(5) {
            0 => 0,
            _ => 5 + random.below(30),
        };
        await_batches(progress, batches).await?;
        sleep(Duration::from_millis(random.below(60) as u64)).await;

        let all_at_once = random.below(4) == 0 && group.kills + group.len() <= kills;
        let victims = if all_at_once {
            0..group.len()
        } else {
            let victim = random.below(group.len());
            victim..victim + 1
        };
        for server in victims.clone() {
            group.kill(server).await?;
        }
        for server in victims {
            group.restart(server).await?;
        }

        if group.kills.is_multiple_of(50) {
            eprintln!("{} of {kills} kills", group.kills);
        }
    }
    await_batches(progress, 40).await
}

/// Waits until that many more batches are acknowledged.
async fn await_batches(progress: &SharedProgress, batches: usize) -> Result<(), String> {
    let saved = || progress.saved_batches.load(Ordering::Relaxed);
    let (begun, goal) = (Instant::now(), saved() + batches);
    while saved() < goal {
        if begun.elapsed() > PATIENCE {
            return Err("nobody can save, though the servers run".to_owned());
        }
        sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}
