//! Significance tests of the difference between two systems.
//!
//! Paired tests take (a, b) of the same source; differences are a − b, so that a positive result
//! favours a. A p-value is two-sided unless its name says otherwise.
//! Infinite values and `NaN` are [`NotFinite`](super::UndefinedReason::NotFinite).

mod holm;
mod mann_whitney;
mod sign_test;
mod t_test;
mod wilcoxon;

pub use holm::holm;
pub use mann_whitney::{MannWhitneyPMethod, MannWhitneyTest, mann_whitney};
pub use sign_test::{SignTest, sign_test};
pub use t_test::{PairedTTest, WelchTest, paired_t, welch};
pub use wilcoxon::{
    ContinuityCorrection, WilcoxonOptions, WilcoxonPMethod, WilcoxonTest, ZeroHandling, wilcoxon,
};
