//! Crowd raters: set up by leads; they begin through a link, can continue in another browser, and end with a code.

mod begin_crowd;
mod codes;
mod finish_crowd;
mod resume_crowd;
mod set_crowd;

pub use begin_crowd::{BeginCrowd, begin_crowd};
pub use codes::code_name;
#[cfg(feature = "ssr")]
pub(super) use codes::require_codes;
pub use finish_crowd::{FinishCrowd, finish_crowd};
pub use resume_crowd::{ResumeCrowd, resume_crowd};
pub use set_crowd::{CodeFields, FailedItemFields, SetCrowd, set_crowd};
