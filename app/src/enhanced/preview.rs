use leptos::prelude::*;

use crate::{api::PreviewMarkdown, links, page_script::PageScript};

/// A Markdown field with a preview: the server renders the field's current text as readers will see it.
#[component]
pub fn Preview(
    /// The preview's name for screen readers.
    #[prop(into)]
    label: String,
    /// The field: a `textarea`.
    children: Children,
) -> impl IntoView {
    let address = links::action::<PreviewMarkdown>();
    view! {
        <PageScript name="preview"/>
        <div>{children()}</div>
        <div class="actions" hidden data-preview=address data-label=label>
            <button type="button" aria-expanded="false">"Preview"</button>
        </div>
    }
}
