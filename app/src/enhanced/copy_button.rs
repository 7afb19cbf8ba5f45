use leptos::prelude::*;

/// A button that copies a text to the clipboard. It appears only if JavaScript runs and may copy.
#[component]
pub fn CopyButton(
    /// The text to copy.
    text: String,
) -> impl IntoView {
    view! {
        <button type="button" hidden data-copy=text>"Copy"</button>
        <span class="soft" role="status"></span>
    }
}
