//! Every method of the store, on SQLite and on PostgreSQL.

#![allow(
    clippy::unwrap_used,
    reason = "clippy takes helpers of tests for no tests"
)]

mod answers;
mod assignments;
mod ground;
mod import;
mod invitations;
mod members;
mod people;
mod sessions;
mod studies;
