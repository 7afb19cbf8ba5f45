//! All SQL of Rank & Rate, and nothing else: SQLite or PostgreSQL by the address of the database,
//! one SQL for both. Each method has one duty.
//!
//! A method commits before it returns. A change of a study's content increments the study's event
//! counter in the same transaction ([`event`]), so that readers who catch up by number miss
//! nothing.

#[macro_use]
mod transaction;

pub mod alignments;
pub mod annotator_answers;
mod annotators;
mod answer_columns;
pub mod api_tokens;
pub mod assignments;
pub mod audit;
mod backup;
mod begun_consensus;
mod bulk;
mod categories;
mod columns;
pub mod comparison_plans;
pub mod comparisons;
pub mod comprehension;
mod connect;
pub mod consensus;
mod counts;
pub mod crowd;
pub mod discussions;
pub mod erasure;
mod error;
pub mod event;
mod event_kind;
pub mod experiments;
pub mod export;
pub mod figure_changes;
pub mod final_values;
pub mod first_admin;
pub mod gold_items;
pub mod import;
pub mod invitations;
pub mod jobs;
pub mod join_rate;
pub mod judgements;
pub mod known_devices;
mod lock;
mod login_name;
pub mod marked_spans;
pub mod member_list;
pub mod membership;
pub mod metrics;
mod migrations;
pub mod overview;
mod own_overlap;
mod own_work;
mod packed_rows;
pub mod password_links;
pub mod people;
mod pieces;
mod places;
pub mod qualification;
pub mod quality;
pub mod question_answers;
pub mod rating_rows;
mod removed_groups;
pub mod sessions;
pub mod simulated_work;
mod source_context;
mod source_items;
pub mod source_pages;
mod source_priorities;
pub mod sources;
pub mod studies;
mod study_parts;
mod systems;
mod task;
pub mod training_sources;
pub mod unjudged;
mod unreadable_rows;
pub mod uploads;
pub mod visibility;
pub mod visits;
pub mod webhooks;
pub mod written_texts;

pub use assignments::{AssignmentEntry, NewAssignment};
pub use backup::{DatabaseCheck, check_backup, settle_file};
pub use connect::{DatabaseEngine, Store, sqlite_url};
pub use counts::StudyCounts;
pub use error::Error;
pub use event::{EventWork, RecentEvent, StudyEvent};
pub use event_kind::{EventEffect, EventKind, UnknownEventKind};
pub use invitations::{Invitation, InvitationDetails, InvitationTarget, NewInvitation};
pub use jobs::{Job, JobKind, JobLeaseState, JobOutcome, JobReport, JobState, NewJob};
pub use member_list::{Member, Rater};
pub use people::Person;
pub use sessions::{LONGEST_SESSION_MS, LoginSession, NewSession, SessionEntry};
pub use sources::{
    AnswerValue, OutputText, SourceAnswer, SourceEntry, SourceOutput, SourceProgress, StudySystem,
};
pub use studies::{NewStudy, Study, StudyAccess, StudyEntry};
pub use study_parts::StudyParts;
pub use systems::SystemFacts;
pub use uploads::{LARGEST_CHUNK, NewUpload, Upload};

/// The result of a method of the store.
pub type Result<T, E = Error> = std::result::Result<T, E>;
