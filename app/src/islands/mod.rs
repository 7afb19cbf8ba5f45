//! Islands, which run in the browser. A page also works before they are hydrated.

mod copy_button;
mod enhanced_form;
mod job_progress;
mod parts;
mod preview;
mod queue;
mod workspace;

pub use copy_button::CopyButton;
pub use enhanced_form::EnhancedForm;
pub use job_progress::JobProgress;
pub use preview::Preview;
pub use workspace::Workspace;
