use leptos::prelude::*;

use crate::browser;

/// Copies a text to the clipboard and says so. It is there only where there is JavaScript.
#[island]
pub fn CopyButton(
    /// What is copied.
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
