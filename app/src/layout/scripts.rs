use leptos::{nonce::Nonce, prelude::*};

/// Keeps unsaved input of the page's forms: a page may hold several forms, and saving one of them loads
/// the page again. Without scripts nothing is kept.
#[component]
pub fn KeepUnsaved() -> impl IntoView {
    let nonce = expect_context::<Nonce>();
    view! { <script type="module" nonce=nonce>{include_str!("unsaved.js")}</script> }
}

/// Scrolls the current tab into view on a narrow screen.
#[component]
pub fn ShowTab() -> impl IntoView {
    let nonce = expect_context::<Nonce>();
    view! { <script type="module" nonce=nonce>{include_str!("tabs.js")}</script> }
}

/// Asks the browser not to delete what it keeps of this site when it needs room: answers that the server
/// does not have yet.
#[component]
pub fn KeepStorage() -> impl IntoView {
    let nonce = expect_context::<Nonce>();
    view! { <script type="module" nonce=nonce>{include_str!("storage.js")}</script> }
}
