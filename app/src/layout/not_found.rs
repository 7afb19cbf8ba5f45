use leptos::prelude::*;
use leptos_axum::ResponseOptions;

use super::Page;
use crate::links;

/// The page for unknown addresses.
#[component]
pub fn NotFound() -> impl IntoView {
    expect_context::<ResponseOptions>().set_status(http::StatusCode::NOT_FOUND);
    view! {
        <Page title="Not found">
            <h1>"Page not found"</h1>
            <p class="lead">
                "The address may be mistyped, or the page has been moved or removed."
            </p>
            <p><a href=links::to(links::HOME)>"Go to the start page"</a></p>
        </Page>
    }
}
