//! Components that the parts of the workspace share.

pub mod drag;
mod modal;
mod popup;

pub use modal::Modal;
pub use popup::Popup;
