//! One annotator's work on one source: what the browser is given, what it sends back, and all that
//! happens in between, without a browser.

pub mod activity;
pub mod change;
pub mod draft;
pub mod drag;
pub mod entry;
pub mod history;
pub mod known;
pub mod missing;
pub mod order;
pub mod qualification;
pub mod saving;
#[cfg(test)]
mod server_model;
pub mod task;
#[cfg(test)]
mod testing;
pub mod units;
pub mod unsure;
pub mod words;
