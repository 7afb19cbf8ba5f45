//! Small parts of which pages are made.

mod field;
mod moment;

pub use field::Field;
pub use moment::{Moment, duration};
