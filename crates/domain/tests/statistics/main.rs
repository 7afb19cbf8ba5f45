//! Statistics against published figures, and against what the field's own libraries give for the
//! same input.

#![allow(
    clippy::unwrap_used,
    reason = "helpers outside of `#[test]` functions are tests too"
)]

mod bootstrap;
mod correlation;
mod kappa;
mod krippendorff;
mod paired_tests;
mod pairwise;
mod properties;
mod raters;
mod shared;
mod spans;
mod standardise;
mod systems;
mod tau_like;
