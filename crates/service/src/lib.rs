//! What Rank & Rate does between its database and whoever asks: the web pages, the command line and
//! the background jobs all call these functions, so that each of them gets the same figures.
//!
//! Nothing here knows of pages, requests or arguments on a command line.
//!
//! - [`accounts`]: passwords and secret tokens.
//! - [`automatic_annotation`]: the category and edits that an output gets on import.
//! - [`comprehension`]: imports of reading comprehension.
//! - [`Context`]: the clock, ids and random numbers, as an argument.
//! - [`export`]: a study as files.
//! - [`figures`]: what panels and commands show of a study.
//! - [`import`]: files on their way into a study, and the jobs that bring them in.
//! - [`live`]: studies in memory, whose figures keep up with every rating.
//! - [`metric_training`]: metrics that learn from a study's ratings.
//! - [`metrics`]: what scores a study's outputs.
//! - [`wording`]: sentences and counts, as people read them.

pub mod accounts;
pub mod automatic_annotation;
pub mod comprehension;
mod context;
pub mod export;
pub mod figures;
pub mod import;
pub mod live;
pub mod metric_training;
pub mod metrics;
pub mod wording;

pub use context::Context;

#[cfg(test)]
mod testing;
