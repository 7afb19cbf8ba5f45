//! Lets many simulated annotators save at once, through servers as people use them, on fresh databases or on another
//! platform's running server.

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::{fs, ops::Range, path::PathBuf, process::ExitCode, time::Duration};

use clap::Parser;
use stories::{
    TestDatabase,
    load::{self, LoadReport, LoadSettings, PeerPlan, ServerSettings},
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
    /// How many leads look at live pages meanwhile.
    #[arg(long, default_value_t = 0, value_name = "NUMBER")]
    viewers: usize,
    /// How many outputs with five ratings each are imported meanwhile, into another study.
    #[arg(long, default_value_t = 0, value_name = "OUTPUTS")]
    import: usize,
    /// The program to measure, of a release build; by default the `rankrate` beside this one.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Measures another platform's server instead, which runs: a file in JSON that says where it is and what its
    /// annotators send, as `bench/servers` writes it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["program", "database", "servers", "viewers", "import"])]
    peer: Option<PathBuf>,
    /// Prints each test's measurements as a line of JSON.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let args = LoadTestArgs::parse();
    match measure(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn measure(args: &LoadTestArgs) -> Result<(), String> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let loads = args.annotators.iter().map(|annotators| LoadSettings {
        annotators: *annotators,
        duration: Duration::from_secs(args.seconds),
        think_ms: args.think.clone(),
    });

    if let Some(file) = &args.peer {
        let named = |reason: &dyn ToString| format!("{}: {}", file.display(), reason.to_string());
        let plan = fs::read_to_string(file).map_err(|error| named(&error))?;
        let plan = PeerPlan::parse(&plan).map_err(|reason| named(&reason))?;
        for load in loads {
            let report = runtime.block_on(load::run_peer(&plan, &load));
            print("peer", report, args.json);
        }
        return Ok(());
    }

    let program = find_program(args.program.clone())?;
    for load in loads {
        let test = async |database: &TestDatabase, servers: usize| {
            let settings = ServerSettings {
                program: program.clone(),
                servers,
                viewers: args.viewers,
                imported_outputs: args.import,
            };
            let report = load::run(database, &settings, &load).await;
            let subject = format!("{:?}, servers {servers}", database.store.engine());
            print(&subject, report, args.json);
        };
        runtime.block_on(on_chosen(args.database, args.servers, test));
    }
    Ok(())
}

fn print(subject: &str, report: Result<LoadReport, String>, json: bool) {
    match report {
        Ok(report) if json => {
            let line = serde_json::to_string(&report);
            println!("{}", line.expect("its fields are numbers and texts"));
        }
        Ok(report) => println!("{subject}, {report}"),
        Err(reason) => eprintln!("{subject}: {reason}"),
    }
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
