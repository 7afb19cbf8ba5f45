use leptos::prelude::*;
use leptos_axum::ResponseOptions;

use super::Page;
use crate::links;

/// Said where an address leads nowhere.
#[component]
pub fn NotFound() -> impl IntoView {
    expect_context::<ResponseOptions>().set_status(http::StatusCode::NOT_FOUND);
    view! {
        <Page title="Not found">
            <h1>"There is no such page"</h1>
            <p class="lead">
                "The address may be mistyped, or what was here has been moved or withdrawn."
            </p>
            <p><a href=links::to("/")>"Go to the start page"</a></p>
        </Page>
    }
}
