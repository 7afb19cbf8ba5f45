use leptos::{nonce::Nonce, prelude::*};

use crate::page_script::PageScript;

/// Keeps unsaved input of the page's forms: a page may hold several forms, and saving one of them reloads it.
/// Without scripts nothing is kept.
#[component]
pub fn KeepUnsaved() -> impl IntoView {
    view! { <PageScript name="unsaved"/> }
}

/// Scrolls the current tab into view on a narrow screen.
#[component]
pub fn ShowTab() -> impl IntoView {
    view! { <PageScript name="tabs"/> }
}

/// Shows times in the browser's own time zone. Without scripts they are in UTC.
#[component]
pub fn LocalTimes() -> impl IntoView {
    view! { <PageScript name="times"/> }
}

/// Sends answers that wait in the browser before the person signs out, and removes what the browser keeps of theirs.
#[component]
pub fn SignOut() -> impl IntoView {
    let nonce = expect_context::<Nonce>();
    // If the script or the browser's storage fails, signing out still works.
    view! { <script type="module" nonce=nonce>{include_str!("sign_out.inline.js")}</script> }
}

/// Asks the browser not to delete what it keeps of this site when it needs room: answers that the server
/// does not have yet.
#[component]
pub fn KeepStorage() -> impl IntoView {
    view! { <PageScript name="storage"/> }
}

/// Keeps the page and its files for use without a network.
#[component]
pub fn KeepPage() -> impl IntoView {
    view! { <PageScript name="offline"/> }
}

/// Lets keys press the page's own buttons, lists all commands of the page at Ctrl+K, and opens its dialogs.
#[component]
pub fn Commands() -> impl IntoView {
    view! { <PageScript name="commands"/> }
}

/// Draws rows compact if that was chosen in this browser. It comes before the rows and isn't a module, so
/// that it runs before they are drawn.
#[component]
pub fn RememberRows() -> impl IntoView {
    let nonce = expect_context::<Nonce>();
    view! { <script nonce=nonce>{include_str!("rows.inline.js")}</script> }
}
