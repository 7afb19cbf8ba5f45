//! Fixtures for the tests in `tests/`: a fresh database of either engine for each, with the same ids and times
//! in every run. Also the kill test, the load test and the growth test, which the programs `kill-test`, `load-test`
//! and `growth-test` run.

mod cluster;
pub mod growth;
mod ids;
pub mod kills;
pub mod load;
pub mod program_args;
mod servers;
mod test_database;

pub use ids::fresh_id;
pub use test_database::{
    TestDatabase, new_session, on_both, on_postgres, on_sqlite, refusal, slug,
};

/// The time at which every story begins, in milliseconds since 1970.
pub const NOW: i64 = 1_750_000_000_000;

/// A minute, in milliseconds.
pub const MINUTE: i64 = 60_000;
