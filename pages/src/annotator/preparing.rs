use leptos::prelude::*;

use app::{links::StudyPage, page_script::PageScript};

/// Says that the next source is being prepared, and reloads the page once it is ready. Without scripts
/// the annotator reloads it.
#[component]
pub fn Preparing(slug: String) -> impl IntoView {
    view! {
        <p id="preparing" role="status">
            "The next source is new, and its highlights are still being prepared. This takes a minute or \
             two. "
            <a href=StudyPage::Work.address(&slug)>"Check again"</a>
        </p>
        <PageScript name="preparing"/>
    }
}
