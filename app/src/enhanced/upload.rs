use leptos::prelude::*;

use crate::page_script::PageScript;

/// The file field of a form, with scripts also a place to drop files on, and the progress of the upload with a
/// way to cancel it. A page has one at most.
#[component]
pub fn UploadArea(
    /// The field: an `input` of files with its label.
    children: Children,
) -> impl IntoView {
    view! {
        <div class="drop-zone">
            {children()}
            <p class="drop-hint" hidden></p>
        </div>
        <div class="upload" hidden>
            <progress max="100" value="0" aria-label="Uploaded"></progress>
            <p class="numbers"></p>
            <button type="button">"Cancel"</button>
        </div>
        <p class="upload-state" role="status"></p>
        <PageScript name="upload"/>
    }
}
