use leptos::prelude::*;

use crate::page_script::PageScript;

/// The file field of a form; with scripts it is also a drop zone and shows the progress of the upload, with a
/// way to cancel it. A page has at most one.
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
