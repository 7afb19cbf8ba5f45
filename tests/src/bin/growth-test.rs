//! Measures the processor time of each page while a study gains ratings, on fresh databases.

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::{cell::RefCell, path::PathBuf, process::ExitCode};

use clap::Parser;
use stories::{
    TestDatabase,
    growth::{self, GrowthReport},
    program_args::{DatabaseChoice, find_program, on_chosen},
};

/// Measures every page of a study that grows.
#[derive(Debug, Parser)]
#[command(name = "growth-test")]
struct GrowthTestArgs {
    /// How many ratings the study has, one test for each number.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "10000,100000,1000000",
        value_name = "NUMBERS"
    )]
    ratings: Vec<usize>,
    /// The database; both, one after the other, where none is named.
    #[arg(long, value_name = "DATABASE")]
    database: Option<DatabaseChoice>,
    /// The program to measure, of a release build; by default the `rankrate` beside this one.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Only read the ratings into memory, which needs no program.
    #[arg(long, conflicts_with = "program")]
    without_pages: bool,
}

fn main() -> ExitCode {
    let args = GrowthTestArgs::parse();
    let program = match args.without_pages {
        true => Ok(None),
        false => find_program(args.program).map(Some),
    };
    let program = match program {
        Ok(program) => program,
        Err(reason) => {
            eprintln!("{reason}");
            return ExitCode::FAILURE;
        }
    };

    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let smaller: RefCell<Vec<(String, GrowthReport)>> = RefCell::default();
    for ratings in args.ratings {
        let test = async |database: &TestDatabase, _: usize| {
            let engine = format!("{:?}", database.store.engine());
            match growth::run(database, program.clone(), ratings).await {
                Ok(report) => {
                    let mut smaller = smaller.borrow_mut();
                    let before = smaller.iter().rev().find(|(other, _)| *other == engine);
                    println!(
                        "{engine}, {}",
                        report.lines(before.map(|(_, report)| report))
                    );
                    smaller.push((engine, report));
                }
                Err(reason) => println!("{engine}: {reason}"),
            }
        };
        runtime.block_on(on_chosen(args.database, 1, test));
    }
    ExitCode::SUCCESS
}
