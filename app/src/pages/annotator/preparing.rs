use leptos::{nonce::Nonce, prelude::*};

use crate::links;

/// Says that the next source is not ready yet, and loads the page again once it is. Without scripts
/// the annotator does that.
#[component]
pub fn Preparing(
    /// The study's short name.
    slug: String,
) -> impl IntoView {
    let nonce = expect_context::<Nonce>();
    view! {
        <p id="preparing" role="status">
            "The next source is new, and its highlights are still being made. This takes a minute or \
             two. "
            <a href=links::to(&format!("/s/{slug}/work"))>"Check again"</a>
        </p>
        <script type="module" nonce=nonce>{include_str!("preparing.js")}</script>
    }
}
