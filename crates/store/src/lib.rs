//! All SQL of Rank & Rate, and nothing but: SQLite or PostgreSQL by the address of the database,
//! one SQL for both, one method a duty.
//!
//! A method commits before it answers. What changes a study's content bumps the study's event
//! counter in the same transaction ([`event`]), so that whoever catches up by number skips nothing.

#[macro_use]
mod transaction;

pub mod alignments;
mod answer;
pub mod answers;
pub mod assignments;
mod bulk;
mod categories;
pub mod comprehension;
mod connect;
mod counts;
pub mod discussions;
mod error;
pub mod event;
pub mod export;
pub mod first_admin;
pub mod import;
pub mod invitations;
mod items;
pub mod jobs;
pub mod judgements;
mod lock;
pub mod members;
pub mod metrics;
pub mod news;
pub mod overview;
pub mod password_links;
pub mod people;
pub mod qualification;
pub mod quality;
mod raters;
pub mod ratings;
mod read;
pub mod roster;
pub mod sessions;
pub mod simulated;
pub mod sources;
pub mod studies;
mod systems;
mod task;
pub mod training;
mod unreadable;
pub mod uploads;
pub mod visibility;

pub use assignments::{Assigned, NewAssignment};
pub use connect::{Engine, Store, sqlite_url};
pub use counts::Counts;
pub use error::Error;
pub use event::Event;
pub use invitations::{Invitation, Invited, NewInvitation, Opens};
pub use jobs::{Ending, Job, JobReport, JobState, NewJob, Standing};
pub use people::Person;
pub use roster::{Member, Rater};
pub use sessions::Session;
pub use sources::{OutputText, Said, SourceAnswer, SourceEntry, SourceOutput, System};
pub use studies::{Access, NewStudy, Study, StudyEntry};
pub use uploads::{LARGEST_CHUNK, NewUpload, Upload};

/// What a method of the store gives.
pub type Result<T, E = Error> = std::result::Result<T, E>;
