//! Every method of the store, on SQLite and on PostgreSQL.

mod invitations;
mod members;
mod people;
mod sessions;
mod studies;
