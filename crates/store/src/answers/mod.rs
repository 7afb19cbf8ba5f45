//! An annotator's answers: stored once, never overwritten, acknowledged after the commit.

mod check;
mod hand_in;
mod save;

pub use self::hand_in::{HandIn, Unrated};
