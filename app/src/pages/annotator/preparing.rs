use leptos::{nonce::Nonce, prelude::*};

use crate::links::StudyPage;

/// Says that the next source is being prepared, and reloads the page once it is ready. Without scripts
/// the annotator reloads it.
#[component]
pub fn Preparing(slug: String) -> impl IntoView {
    let nonce = expect_context::<Nonce>();
    view! {
        <p id="preparing" role="status">
            "The next source is new, and its highlights are still being prepared. This takes a minute or \
             two. "
            <a href=StudyPage::Work.address(&slug)>"Check again"</a>
        </p>
        <script type="module" nonce=nonce>{include_str!("preparing.js")}</script>
    }
}
