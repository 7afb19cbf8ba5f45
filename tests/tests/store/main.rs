//! Every method of the store, on SQLite and on PostgreSQL.

#![allow(
    clippy::unwrap_used,
    reason = "clippy takes helpers of tests for no tests"
)]

mod alignments;
mod answers;
mod assignments;
mod comprehension;
mod conduct;
mod database;
mod discussions;
mod export;
mod figures;
mod former;
mod ground;
mod handing_in;
mod hostile;
mod import;
mod import_dimensions;
mod invitations;
mod jobs;
mod live;
mod members;
mod metric_figures;
mod metrics;
mod password_links;
mod people;
mod qualification;
mod quality;
mod sessions;
mod set_up;
mod sources;
mod studies;
mod uploads;
mod visibility;
mod work;
