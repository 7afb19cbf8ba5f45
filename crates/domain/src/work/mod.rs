//! One annotator's work on one source: what the browser is given, what it sends back.

pub mod change;
pub mod task;
