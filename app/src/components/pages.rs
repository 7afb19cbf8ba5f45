use leptos::prelude::*;
use leptos_router::params::ParamsMap;

/// The requested page, from 1.
pub fn page_number(query: &ParamsMap) -> usize {
    let page = query.get("page").and_then(|page| page.parse().ok());
    page.unwrap_or(1).max(1)
}

/// Pagination of a long list.
#[component]
pub fn Pages(
    /// The address with its query, to which the page is added.
    address: String,
    /// The current page, from 1.
    page: usize,
    /// The number of pages.
    pages: usize,
) -> impl IntoView {
    (pages > 1).then(|| {
        let link = |to: usize, label: &'static str| {
            let address = format!("{address}&page={to}");
            view! { <a class="button" href=address>{label}</a> }
        };
        view! {
            <nav class="pages" aria-label="Pages">
                {(page > 1).then(|| link(page - 1, "Previous"))}
                <span class="soft">{format!("Page {page} of {pages}")}</span>
                {(page < pages).then(|| link(page + 1, "Next"))}
            </nav>
        }
    })
}
