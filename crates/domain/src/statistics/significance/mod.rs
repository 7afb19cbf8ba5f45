//! Whether two systems differ by more than chance.
//!
//! Paired tests take (a, b) of the same source; differences are a − b, so that a positive result
//! speaks for a. A p-value is two-sided unless its name says otherwise.
//! Infinite values and what is no number are [`NotFinite`](super::Undefined::NotFinite).

mod holm;
mod mann_whitney;
mod t_test;
mod wilcoxon;

pub use holm::holm;
pub use mann_whitney::{MannWhitneyTest, mann_whitney};
pub use t_test::{PairedTTest, WelchTest, paired_t, welch};
pub use wilcoxon::{
    ContinuityCorrection, WilcoxonOptions, WilcoxonPMethod, WilcoxonTest, ZeroHandling, wilcoxon,
};
