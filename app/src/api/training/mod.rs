//! Sources that train and test annotators, set up by the lead.

mod move_source;
mod set_expected;
mod set_purpose;

pub use move_source::{MoveSource, move_source};
pub use set_expected::{ExpectedAnswerFields, SetExpected, set_expected};
pub use set_purpose::{SetPurpose, set_purpose};
