//! Every method of the store, on SQLite and on PostgreSQL.

#![allow(
    clippy::unwrap_used,
    reason = "clippy takes helpers of tests for no tests"
)]

mod answers;
mod assignments;
mod database;
mod figures;
mod ground;
mod import;
mod invitations;
mod jobs;
mod members;
mod people;
mod sessions;
mod studies;
mod uploads;
