//! An annotator's decisions about taking part.

mod consent;
mod next_source;
mod withdraw;

pub use consent::{Consent, consent};
pub use next_source::{NextSource, next_source};
pub use withdraw::{Withdraw, withdraw};
