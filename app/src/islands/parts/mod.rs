//! Components that islands share.

pub mod drag;
mod modal;
mod popup;

pub use modal::Modal;
pub use popup::Popup;
