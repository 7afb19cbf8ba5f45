use leptos::prelude::*;

use crate::layout::Page;

/// Where one arrives.
#[component]
pub fn Home() -> impl IntoView {
    view! {
        <Page title="Welcome">
            <h1>"Which simplification is better?"</h1>
            <p class="lead">
                "Rank & Rate collects people's judgements of simplified texts, watches their \
                 quality while they come in, and turns them into datasets."
            </p>
        </Page>
    }
}
