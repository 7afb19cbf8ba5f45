use leptos::prelude::*;

/// Lists stored rows that are missing from figures and lists because they cannot be read; nothing
/// if there are none.
#[component]
pub(super) fn Unreadable(
    /// A sentence for each row.
    rows: Vec<String>,
) -> impl IntoView {
    (!rows.is_empty()).then(|| {
        let rows = rows.into_iter().map(|row| view! { <li>{row}</li> }).collect_view();
        view! {
            <details class="caution">
                <summary>
                    "Some stored rows of this study cannot be read. Figures and lists leave them out, and \
                     exports stop at them."
                </summary>
                <ul>{rows}</ul>
                <p>"Show this to the person who runs the server. The server's log has more details."</p>
            </details>
        }
    })
}
