//! Many simulated annotators save at once, through servers as people use them, on fresh databases of its own.

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::{ops::Range, path::PathBuf, process::ExitCode, time::Duration};

use clap::Parser;
use stories::{
    TestDatabase,
    load::{self, LoadSettings},
    program_args::{DatabaseChoice, find_program, on_chosen, parse_servers},
};

/// Measures saves by many annotators at once.
#[derive(Debug, Parser)]
#[command(name = "load-test")]
struct LoadTestArgs {
    /// How many annotators save at the same time, one test for each number.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "1,8,32",
        value_name = "NUMBERS"
    )]
    annotators: Vec<usize>,
    /// How long each test lasts.
    #[arg(long, default_value_t = 10, value_name = "SECONDS")]
    seconds: u64,
    /// How long an annotator thinks before each save, in milliseconds: 1000..3000, drawn evenly.
    #[arg(long, default_value = "0..0", value_name = "FROM..TO", value_parser = parse_range)]
    think: Range<u64>,
    /// The database; both, one after the other, where none is named.
    #[arg(long, value_name = "DATABASE")]
    database: Option<DatabaseChoice>,
    /// How many servers share the PostgreSQL database; SQLite takes one.
    #[arg(long, default_value_t = 1, value_name = "NUMBER", value_parser = parse_servers)]
    servers: usize,
    /// The program to measure, of a release build; by default the `rankrate` beside this one.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

fn main() -> ExitCode {
    let args = LoadTestArgs::parse();
    let program = match find_program(args.program) {
        Ok(program) => program,
        Err(reason) => {
            eprintln!("{reason}");
            return ExitCode::FAILURE;
        }
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for annotators in args.annotators {
        let test = async |database: &TestDatabase, servers: usize| {
            let settings = LoadSettings {
                program: program.clone(),
                annotators,
                servers,
                duration: Duration::from_secs(args.seconds),
                think_ms: args.think.clone(),
            };
            match load::run(database, &settings).await {
                Ok(report) => println!("{:?}, {report}", database.store.engine()),
                Err(reason) => println!("{:?}: {reason}", database.store.engine()),
            }
        };
        runtime.block_on(on_chosen(args.database, args.servers, test));
    }
    ExitCode::SUCCESS
}

fn parse_range(text: &str) -> Result<Range<u64>, String> {
    let ends = text.split_once("..");
    let ends = ends.and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    let (from, to) = ends.ok_or("use a range such as 1000..3000")?;
    if from > to {
        return Err("the range ends before it begins".to_owned());
    }
    Ok(from..to)
}
