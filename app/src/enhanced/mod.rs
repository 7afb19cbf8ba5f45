//! Components that plain scripts improve: forms that keep the page, progress that counts, files that are
//! dropped. Without scripts each is ordinary HTML that works as well.
//!
//! The scripts listen to the whole document, so they also serve parts that a live page replaces.

mod copy_button;
mod form;
mod job_progress;
mod preview;
mod upload;

use leptos::prelude::*;

use crate::page_script::PageScript;

pub use copy_button::CopyButton;
pub use form::EnhancedForm;
pub use job_progress::JobProgress;
pub use preview::Preview;
pub use upload::UploadArea;

/// The scripts behind these components, loaded once in the head of every page.
#[component]
pub fn EnhancementScripts() -> impl IntoView {
    view! {
        <PageScript name="form"/>
        <PageScript name="job_progress"/>
        <PageScript name="copy_button"/>
    }
}
