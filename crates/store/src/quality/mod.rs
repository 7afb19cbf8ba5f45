//! Items whose answers by an attentive annotator are known beforehand, and how annotators went
//! about their work.

mod attention;
mod checks;
mod orders;
mod times;

pub use self::{
    attention::AttentionResult, checks::QualityCheck, orders::RaterOrder, times::ActiveTime,
};
pub(crate) use self::{attention::count_failed_attention, checks::load_rater_checks};
