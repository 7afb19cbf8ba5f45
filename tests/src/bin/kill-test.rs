//! Kills servers with SIGKILL while simulated annotators save, on fresh databases of its own, and checks that
//! nothing that a server acknowledged is lost, changed or doubled.

#![expect(clippy::print_stdout, reason = "it prints what it found")]

use std::{
    path::PathBuf,
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
};

use clap::Parser;
use stories::{
    TestDatabase,
    kills::{self, KillSettings},
    program_args::{DatabaseChoice, find_program, on_chosen, parse_servers},
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

fn main() -> ExitCode {
    let args = KillTestArgs::parse();
    let program = match find_program(args.program.clone()) {
        Ok(program) => program,
        Err(reason) => {
            eprintln!("{reason}");
            return ExitCode::FAILURE;
        }
    };

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
    runtime.block_on(on_chosen(args.database, args.servers, test));

    if is_sound.into_inner() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
