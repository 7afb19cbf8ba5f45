//! A crowd rater's way in and out: the page of their link, and the end with its code. Between them they have the
//! work pages of every annotator.

mod end;
mod start;

pub use self::{
    end::{FinishWork, find_ended_work},
    start::CrowdStartPage,
};
