//! Every method of the store, on SQLite and on PostgreSQL.

mod people;
mod sessions;
mod studies;
