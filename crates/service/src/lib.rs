//! The application logic of Rank & Rate, between its database and its interfaces. Web pages, the command
//! line and background jobs all call these functions, so that they get the same figures.
//!
//! Nothing here depends on pages, requests or command-line arguments.
//!
//! - [`accounts`]: passwords and secret tokens.
//! - [`automatic_annotation`]: the category and edits that an output gets when it is imported.
//! - [`comparison_plans`]: which outputs of a source are compared, if pairs are chosen adaptively.
//! - [`comprehension`]: imports of reading comprehension.
//! - [`FigureError`]: why a figure could not be computed.
//! - [`Context`]: the clock, ids and random numbers, as an argument.
//! - [`export`]: exports of a study as files.
//! - [`figures`]: the figures of a study that panels and commands show.
//! - [`findings`]: for each chart, a sentence on what its figures show.
//! - [`import`]: imports of files into a study, and the jobs that run them.
//! - [`live`]: studies in memory, which follow the events, and their figures until the next one.
//! - [`metric_training`]: metrics that learn from a study's ratings.
//! - [`metrics`]: automatic metrics that score a study's outputs.
//! - [`source_order`]: which sources come next, if they are chosen by what is uncertain.
//! - [`study_file`]: a study as a file, without ratings and people.
//! - [`templates`]: the protocols that a new study can begin with.
//! - [`webhooks`]: notices of what happens in a study, which are sent to other programs.
//! - [`wording`]: sentences, counts and numbers for people to read.

pub mod accounts;
pub mod aligner_training;
pub mod automatic_annotation;
pub mod comparison_plans;
pub mod comprehension;
mod computation;
mod context;
pub mod experiments;
pub mod export;
pub mod figures;
pub mod findings;
pub mod import;
pub mod live;
pub mod metric_training;
pub mod metrics;
pub mod source_order;
pub mod study_file;
pub mod templates;
pub mod training_settings;
pub mod webhooks;
pub mod wording;
pub mod written_texts;

pub use computation::{FigureError, compute, panic_message};
pub use context::Context;

#[cfg(test)]
mod testing;
