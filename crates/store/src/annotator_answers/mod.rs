//! An annotator's answers: stored once, never overwritten, acknowledged after the commit.

mod hand_in;
mod save;
mod validation;

pub use self::hand_in::{HandInOutcome, MissingRating};
