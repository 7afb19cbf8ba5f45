//! A crowd rater's way in and out: the page of their link, the page that leads back to their work
//! from another browser, and the end with its code. In between, they have the work pages of every
//! annotator.

mod end;
mod resume;
mod start;

pub use self::{
    end::{FinishWork, find_ended_work},
    resume::{ContinueElsewhere, CrowdResumePage},
    start::CrowdStartPage,
};
