//! Arguments that the programs of this crate share.

use std::{
    env,
    path::{self, PathBuf},
};

use crate::{TestDatabase, on_postgres, on_sqlite};

/// The database of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum DatabaseChoice {
    /// A file.
    Sqlite,
    /// A server.
    Postgres,
}

/// Runs a test on the chosen database, or on both, one after the other. The test gets the number of servers: one on
/// SQLite, else `servers`.
pub async fn on_chosen(
    chosen: Option<DatabaseChoice>,
    servers: usize,
    test: impl AsyncFn(&TestDatabase, usize),
) {
    if chosen != Some(DatabaseChoice::Postgres) {
        on_sqlite(async |database| test(database, 1).await).await;
    }
    if chosen != Some(DatabaseChoice::Sqlite) {
        on_postgres(async |database| test(database, servers).await).await;
    }
}

/// The program `rankrate`: the one that is named, or the one next to this program.
///
/// # Errors
/// Where there is none.
pub fn find_program(named: Option<PathBuf>) -> Result<PathBuf, String> {
    let program = named.unwrap_or_else(|| {
        let this = env::current_exe().expect("the program finds itself");
        this.with_file_name(format!("rankrate{}", env::consts::EXE_SUFFIX))
    });
    match program.is_file() {
        // A server runs in a folder of its own.
        true => path::absolute(program).map_err(|error| error.to_string()),
        false => Err(format!(
            "{} is missing: build it with cargo build --bin rankrate",
            program.display()
        )),
    }
}

/// A number of servers, from 1 to 8.
///
/// # Errors
/// Where the text is not such a number.
pub fn parse_servers(text: &str) -> Result<usize, String> {
    let servers = text
        .parse()
        .ok()
        .filter(|servers| (1..=8).contains(servers));
    servers.ok_or_else(|| "use a number from 1 to 8".to_owned())
}
