use leptos::prelude::*;

/// Names the stored rows that are missing from figures and lists as they cannot be read; nothing where
/// there are none.
#[component]
pub(super) fn Unreadable(
    /// A sentence a row.
    rows: Vec<String>,
) -> impl IntoView {
    (!rows.is_empty()).then(|| {
        let rows = rows.into_iter().map(|row| view! { <li>{row}</li> }).collect_view();
        view! {
            <details class="caution">
                <summary>
                    "Some stored rows of this study cannot be read. Figures and lists are made without \
                     them; exports stop at them."
                </summary>
                <ul>{rows}</ul>
                <p>"Show this to the person who runs the server. Its log says more."</p>
            </details>
        }
    })
}
