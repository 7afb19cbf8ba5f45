//! Small parts of which pages are made.

mod field;
mod moment;
mod which_ratings;

pub use field::Field;
pub use moment::{Moment, duration};
pub use which_ratings::{WhichRatings, WhichRatingsForm};
