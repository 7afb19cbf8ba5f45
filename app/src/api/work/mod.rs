//! Server functions of the annotator's workspace.

mod check_text;
mod hand_in;
mod reopen;
mod save_changes;
mod skip;

pub use check_text::{CheckText, TextCheck, check_text};
pub use hand_in::{HandIn, HandInResponse, hand_in};
pub use reopen::{Reopen, reopen};
pub use save_changes::{ChangeBatch, ChangeBatchOutcome, SaveChanges, save_changes};
pub use skip::{Skip, skip};

#[cfg(feature = "ssr")]
mod next;

#[cfg(feature = "ssr")]
pub(super) use next::assign_next_source;
