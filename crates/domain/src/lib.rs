//! The subject matter of Rank & Rate, as pure types and functions.
//!
//! Nothing here does I/O, blocks, reads a clock or generates a random number: time and seeds are
//! arguments. The crate builds for the server and for the browser.

pub mod aligner_comparison;
pub mod category;
pub mod comparison;
pub mod comprehension;
pub mod consensus;
pub mod crowd;
pub mod dimensions;
pub mod edit;
pub mod forecast;
pub mod ids;
pub mod latin_square;
pub mod metrics;
mod names;
pub mod platform_id;
pub mod protocol;
pub mod purpose;
pub mod questions;
pub mod random;
pub mod rater_groups;
pub mod retention;
pub mod score;
pub mod score_input;
pub mod screening;
pub mod source_context;
mod source_order;
pub mod span;
pub mod span_marks;
pub mod statistics;
pub mod study;
pub mod system_kind;
pub mod text;
pub mod undefined;
pub mod work;
pub mod writing;
