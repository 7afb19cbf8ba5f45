//! All SQL of Rank & Rate, and nothing but: SQLite or PostgreSQL by the address of the database,
//! one SQL for both, one method a duty.
//!
//! A method commits before it answers. What changes a study's content bumps the study's event
//! counter in the same transaction ([`event`]), so that whoever catches up by number skips nothing.

#[macro_use]
mod transaction;

mod answer;
pub mod answers;
pub mod assignments;
mod bulk;
mod connect;
mod error;
pub mod event;
pub mod first_admin;
pub mod import;
pub mod invitations;
mod items;
pub mod jobs;
pub mod judgements;
mod lock;
pub mod members;
pub mod overview;
pub mod people;
mod raters;
pub mod ratings;
mod read;
pub mod roster;
pub mod sessions;
pub mod studies;
mod task;
pub mod uploads;

pub use connect::{Engine, Store, sqlite_url};
pub use error::Error;
pub use invitations::{Invitation, Invited, NewInvitation};
pub use jobs::{Ending, Job, JobState, NewJob, Standing};
pub use people::Person;
pub use roster::{Member, Rater};
pub use studies::{Access, NewStudy, Study, StudyEntry};
pub use uploads::{LARGEST_CHUNK, NewUpload, Upload};

/// What a method of the store gives.
pub type Result<T, E = Error> = std::result::Result<T, E>;
