//! Crowd raters: annotators who came by a link, without a password.
//!
//! Each is a participant of the kind `rating` with an account of its own, which has no password and
//! is a member of this one study. The end of their work is stored with the participant. Crowd
//! raters whose ratings must not count have withdrawn as members, too, so that every figure leaves
//! them out.

mod checks;
mod ending;
mod join;
mod list;
mod resume;
mod screening;

pub(crate) use self::{checks::apply_failed_checks, ending::has_ended};
pub use self::{
    join::{CrowdPlace, NewCrowdRater, NewCrowdSession},
    list::CrowdRater,
    resume::{NotAResumeKey, ResumeKey},
};
