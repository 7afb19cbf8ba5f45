//! Kills servers with SIGKILL while simulated annotators save, on fresh databases of its own, and checks that
//! nothing that a server acknowledged is lost, changed or doubled.

#![expect(clippy::print_stdout, reason = "it prints what it found")]

use std::{
    env,
    path::PathBuf,
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
};

use clap::Parser;
use stories::{
    TestDatabase,
    kills::{self, KillSettings},
    on_postgres, on_sqlite,
};

/// Kills servers while simulated annotators save, and checks that nothing acknowledged is lost.
#[derive(Debug, Parser)]
#[command(name = "kill-test")]
struct KillTestArgs {
    /// How many servers to kill on each database.
    #[arg(long, default_value_t = 100, value_name = "NUMBER")]
    kills: usize,
    /// The database; both, one after the other, where none is named.
    #[arg(long, value_name = "DATABASE")]
    database: Option<DatabaseChoice>,
    /// How many servers share the PostgreSQL database; SQLite takes one.
    #[arg(long, default_value_t = 2, value_name = "NUMBER", value_parser = parse_servers)]
    servers: usize,
    /// The seed of everything that is random, but for the time that things take.
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
    /// Delete an acknowledged answer at the end: the test must find it, name it and fail.
    #[arg(long)]
    plant_lost_write: bool,
    /// The program to kill; by default the `rankrate` beside this one.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum DatabaseChoice {
    Sqlite,
    Postgres,
}

fn main() -> ExitCode {
    let args = KillTestArgs::parse();
    let program = args.program.clone().unwrap_or_else(|| {
        let this = env::current_exe().expect("the program finds itself");
        this.with_file_name(format!("rankrate{}", env::consts::EXE_SUFFIX))
    });
    if !program.is_file() {
        let program = program.display();
        eprintln!("{program} is missing: build it with cargo build --bin rankrate");
        return ExitCode::FAILURE;
    }
    let is_sound = AtomicBool::new(true);
    let test = async |database: &TestDatabase, servers: usize| {
        let settings = KillSettings {
            program: program.clone(),
            kills: args.kills,
            servers,
            seed: args.seed,
            plant_lost_write: args.plant_lost_write,
        };
        let sound = match kills::run(database, &settings).await {
            Ok(report) => {
                println!("{report}");
                report.violations.is_empty()
            }
            Err(reason) => {
                println!("seed {}: {reason}", args.seed);
                false
            }
        };
        is_sound.fetch_and(sound, Ordering::Relaxed);
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        if args.database != Some(DatabaseChoice::Postgres) {
            on_sqlite(async |database| test(database, 1).await).await;
        }
        if args.database != Some(DatabaseChoice::Sqlite) {
            on_postgres(async |database| test(database, args.servers).await).await;
        }
    });
    if is_sound.into_inner() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn parse_servers(text: &str) -> Result<usize, String> {
    let servers = text
        .parse()
        .ok()
        .filter(|servers| (1..=8).contains(servers));
    servers.ok_or_else(|| "use a number from 1 to 8".to_owned())
}
