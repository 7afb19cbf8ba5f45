use leptos::{nonce::Nonce, prelude::*};

use crate::links;

/// Says that a page keeps itself up to date, and does: each element with an id and `data-live` is
/// drawn anew when the study has a newer event than `event`. Without scripts the page stays as it
/// is until it is reloaded.
#[component]
pub fn LiveSign(
    /// The study's short name.
    slug: String,
    /// The number of the event that the page tells of.
    event: i64,
) -> impl IntoView {
    let nonce = expect_context::<Nonce>();
    let news = links::to(&format!("/s/{slug}/news"));
    view! {
        <span class="live-sign" role="status" data-news=news data-event=event.to_string()></span>
        <script type="module" nonce=nonce>{include_str!("live.js")}</script>
    }
}
