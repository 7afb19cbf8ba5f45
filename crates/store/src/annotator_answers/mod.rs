//! An annotator's answers: stored once, never overwritten, acknowledged after the commit.

mod activity;
mod hand_in;
mod own_assignment;
mod save;
mod validation;

pub use self::hand_in::{HandInOutcome, MissingRating};
