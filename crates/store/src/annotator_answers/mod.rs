//! An annotator's answers: stored once, never overwritten, acknowledged after the commit.

mod activity;
mod hand_in;
mod held_assignment;
mod new_rows;
mod own_assignment;
mod save;
mod save_queue;
mod stored_change;
pub(crate) mod validation;

pub use self::hand_in::{HandInOutcome, MissingAnswer};
pub(crate) use self::save_queue::SaveQueues;
