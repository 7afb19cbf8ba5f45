//! Reading comprehension against the released answers and the figures computed from them elsewhere.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers outside of `#[test]` functions are tests too"
)]

mod properties;
mod released;
mod shared;
