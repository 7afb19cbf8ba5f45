use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

/// The query parameter that names the folds that are open.
pub(super) const OPEN: &str = "open";

/// Whether the address says that a fold is open.
pub(super) fn is_open(fold: &str) -> bool {
    let open = use_query_map().with_untracked(|query| query.get_all(OPEN));
    open.is_some_and(|names| names.iter().any(|name| name == fold))
}

/// Folded contents, next to charts. The script of [`ChartDownloads`](super::ChartDownloads) keeps
/// in the address whether they are open.
#[component]
pub fn Fold(
    /// Its name in the address, unique on the page.
    #[prop(into)]
    name: String,
    #[prop(optional)] class: Option<&'static str>,
    /// The words that open it.
    summary: &'static str,
    children: Children,
) -> impl IntoView {
    let open = is_open(&name);
    view! {
        <details class=class data-fold=name open=open>
            <summary>{summary}</summary>
            {children()}
        </details>
    }
}
