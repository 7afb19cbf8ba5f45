//! Metrics against the figures of the field's own programs.

#![expect(clippy::print_stdout, reason = "a test that is skipped says so")]
#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod corpus;
mod sentences;
mod shared;
