use leptos::prelude::*;

/// Leads from one page of a long list to the next.
#[component]
pub fn Pages(
    /// The address with its query, to which the page is added.
    address: String,
    /// The page shown, from 1.
    page: usize,
    /// How many there are.
    pages: usize,
) -> impl IntoView {
    (pages > 1).then(|| {
        let link = |to: usize, label: &'static str| {
            let address = format!("{address}&page={to}");
            view! { <a class="button" href=address>{label}</a> }
        };
        view! {
            <nav class="pages" aria-label="Pages">
                {(page > 1).then(|| link(page - 1, "Before"))}
                <span class="soft">{format!("Page {page} of {pages}")}</span>
                {(page < pages).then(|| link(page + 1, "Next"))}
            </nav>
        }
    })
}
