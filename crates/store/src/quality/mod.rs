//! Items of which it is known beforehand what an attentive annotator says, and how annotators went
//! about their work.

mod checks;
mod orders;
mod times;

pub use self::{checks::QualityCheck, orders::RaterOrder, times::ActiveTime};
