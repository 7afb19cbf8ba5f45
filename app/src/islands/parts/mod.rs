//! Components that the parts of the workspace share.

pub mod drag;
mod modal;
mod popup;

use leptos::{html::Dialog, prelude::*};

pub use modal::Modal;
pub use popup::Popup;

/// Whether the dialog is open. The browser reports a closed dialog late: by then it may be open again.
fn is_open(dialog: NodeRef<Dialog>) -> bool {
    dialog.get_untracked().is_some_and(|dialog| dialog.open())
}
