use leptos::prelude::*;

use crate::browser;

/// A button that copies a text to the clipboard. It shows only where JavaScript runs.
#[island]
pub fn CopyButton(
    /// The text to copy.
    text: String,
) -> impl IntoView {
    let (copied, set_copied) = signal(false);
    let (awake, set_awake) = signal(false);
    Effect::new(move || set_awake.set(true));
    let copy = move |_| {
        browser::copy(&text);
        set_copied.set(true);
    };
    view! {
        <button type="button" hidden=move || !awake.get() on:click=copy>
            "Copy"
        </button>
        <span class="soft" role="status">{move || copied.get().then_some("Copied.")}</span>
    }
}
