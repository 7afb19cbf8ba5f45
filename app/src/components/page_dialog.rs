use leptos::prelude::*;

/// A dialog of a page. A button with the dialog's id in `data-opens` opens it, by the script of
/// [`Commands`](crate::layout::Commands); Escape, its own button or a click outside closes it.
#[component]
pub fn PageDialog(id: &'static str, title: &'static str, children: Children) -> impl IntoView {
    view! {
        <dialog class="modal" id=id aria-label=title>
            <div class="modal-body">
                <form method="dialog" class="modal-head">
                    <h2>{title}</h2>
                    <button class="ghost" aria-label="Close">"✕"</button>
                </form>
                {children()}
            </div>
        </dialog>
    }
    .into_any()
}
