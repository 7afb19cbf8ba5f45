//! Metrics against the figures of the field's own programs.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod corpus;
mod sentences;
mod shared;
